/* Builds with sanitizers check all of the text that memmem() and its like are given, at every call,
 * so that what takes linear time elsewhere takes quadratic time in them. */
#ifndef TC_TEST_SANITIZED_H
#define TC_TEST_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TC_SANITIZED 1
#else
#define TC_SANITIZED 0
#endif

#endif
