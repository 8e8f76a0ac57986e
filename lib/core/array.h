/* Arrays: their length when it is fixed, the order to sort them by, and a place in one that is
 * sorted. */
#ifndef TC_CORE_ARRAY_H
#define TC_CORE_ARRAY_H

#include <stdlib.h>
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

/* Sorts an array, which may be NULL when it has no items, by an order such as TC_ORDER() defines.
 */
#define TC_SORT(array, count, order) tc_sort((array), (count), sizeof(*(array)), (order))
static inline void tc_sort(
	void *array, size_t count, size_t size, int (*order)(const void *, const void *))
{
	if (count > 1)
		qsort(array, count, size, order);
}

/* The order of strings by their bytes, for an array of pointers to them. */
static inline int tc_by_string(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/*
 * Defines name, an order of items of a type for TC_SORT(): by the first key, where that is equal by
 * the second, and so on: TC_ORDER(by_start, struct tc_step, TC_UP(ts_ns) TC_DOWN(dur_ns)). A key
 * names a member; TC_UP puts the lowest first, TC_DOWN the highest, TC_UP_STRING the first by the
 * bytes of a string. TC_UP_OF names a function of an item, TC_BY one that compares two of them, and
 * TC_UP_ITSELF is for items that are numbers.
 */
#define TC_ORDER(name, type, keys) TC_ORDER_BY(name, type, left_, right_, keys)
/* The same for an array of pointers to such items. */
#define TC_ORDER_OF_POINTERS(name, type, keys)                                                     \
	TC_ORDER_BY(name, type, *(type *const *)left_, *(type *const *)right_, keys)
#define TC_ORDER_BY(name, type, left, right, keys)                                                 \
	static int name(const void *left_, const void *right_)                                     \
	{                                                                                          \
		const type *x_ = left, *y_ = right;                                                \
		keys return 0;                                                                     \
	}                                                                                          \
	struct tc_order_ends_here /* wants a semicolon */
#define TC_BEFORE(x, y)                                                                            \
	if ((x) < (y))                                                                             \
		return -1;                                                                         \
	if ((x) > (y))                                                                             \
		return 1;
#define TC_UP(member) TC_BEFORE(x_->member, y_->member)
#define TC_DOWN(member) TC_BEFORE(y_->member, x_->member)
#define TC_UP_ITSELF TC_BEFORE(*x_, *y_)
#define TC_UP_OF(function) TC_BEFORE(function(x_), function(y_))
#define TC_BY(compare)                                                                             \
	for (int order_ = compare(x_, y_); order_;)                                                \
		return order_;
#define TC_UP_STRING(member)                                                                       \
	for (int order_ = strcmp(x_->member, y_->member); order_;)                                 \
		return order_;

#endif
