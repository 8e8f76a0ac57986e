/* Builds with sanitizers check all of the text that memmem() and its like are given, at every call,
 * so that what takes linear time elsewhere takes quadratic time in them. */
#ifndef TC_TEST_SANITIZED_H
#define TC_TEST_SANITIZED_H

#ifndef TC_SANITIZED /* the build says so */
#define TC_SANITIZED 0
#endif

/* Of random runs: what they give is counted without sanitizers, which watch memory alone and take
 * five times as long. */
#define TC_TEST_RUNS(count) (TC_SANITIZED ? (count) / 4 : (count))

#endif
