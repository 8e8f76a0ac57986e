/* Arrays: their length when it is fixed, and a place in one that is sorted. */
#ifndef TC_CORE_ARRAY_H
#define TC_CORE_ARRAY_H

#define TC_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Sets at, a size_t, to the first of count items for which is_before is false. It is an expression
 * of at, true for all items before that one and false for the others; count when it is never false.
 */
#define TC_BISECT(at, count, is_before)                                                            \
	do {                                                                                       \
		size_t low_ = 0, high_ = (count);                                                  \
		while (low_ < high_) {                                                             \
			(at) = low_ + (high_ - low_) / 2;                                          \
			if (is_before)                                                             \
				low_ = (at) + 1;                                                   \
			else                                                                       \
				high_ = (at);                                                      \
		}                                                                                  \
		(at) = low_;                                                                       \
	} while (0)

#endif
