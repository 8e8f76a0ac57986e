/* The nearest of some names to a mistyped word, for messages that help. */
#ifndef TC_CORE_NEAREST_H
#define TC_CORE_NEAREST_H

#include <stddef.h>

/* Of count names, the one nearest to word, NULL when none is near enough to be meant. */
const char *tc_nearest(const char *word, const char *const *names, size_t count);

#endif
