/* Arrays: their length when it is fixed, the order to sort them by, and a place in one that is
 * sorted. */
#ifndef TC_CORE_ARRAY_H
#define TC_CORE_ARRAY_H

#include <string.h>

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

/*
 * Defines name, an order of items of a type for qsort(): by the first key, where that is equal by
 * the second, and so on: TC_ORDER(by_start, struct tc_step, TC_UP(ts_ns) TC_DOWN(dur_ns)). A key
 * names a member; TC_UP puts the lowest first, TC_DOWN the highest, TC_UP_STRING the first by the
 * bytes of a string.
 */
#define TC_ORDER(name, type, keys)                                                                 \
	static int name(const void *left_, const void *right_)                                     \
	{                                                                                          \
		const type *x_ = left_, *y_ = right_;                                              \
		keys return 0;                                                                     \
	}                                                                                          \
	struct tc_order_ends_here /* wants a semicolon */
#define TC_UP(member)                                                                              \
	if (x_->member < y_->member)                                                               \
		return -1;                                                                         \
	if (x_->member > y_->member)                                                               \
		return 1;
#define TC_DOWN(member)                                                                            \
	if (x_->member > y_->member)                                                               \
		return -1;                                                                         \
	if (x_->member < y_->member)                                                               \
		return 1;
#define TC_UP_STRING(member)                                                                       \
	for (int order_ = strcmp(x_->member, y_->member); order_;)                                 \
		return order_;

#endif
