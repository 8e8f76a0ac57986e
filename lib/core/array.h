/* Arrays: their length when it is fixed, the order to sort them by, and a place in one that is
 * sorted. */
#pragma once

#include <stdint.h>
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

static inline int tc_compare_numbers(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* The median of numbers, which it sorts; 0 without any. */
static inline int64_t tc_median(int64_t *numbers, size_t count)
{
	if (count == 0)
		return 0;
	TC_SORT(numbers, count, tc_compare_numbers);
	int64_t low = numbers[(count - 1) / 2], high = numbers[count / 2];
	return low + (high - low) / 2;
}

/* The length of the middle half of numbers, which are sorted, as tc_median() leaves them; 0 without
 * any. */
static inline int64_t tc_middle_half(const int64_t *numbers, size_t count)
{
	return count == 0 ? 0 : numbers[count - 1 - count / 4] - numbers[count / 4];
}

/* The order of strings by their bytes, for an array of pointers to them. */
static inline int tc_by_string(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/*
 * Defines name, an order of items of a type for TC_SORT(): by the first key, where that is equal by
 * the second, and so on: TC_ORDER(by_start, struct tc_step, TC_UP(ts_ns) TC_DOWN(dur_ns)). A key
 * names a member, or begins with one (kind == ARROW); TC_UP puts the lowest first, TC_DOWN the
 * highest. TC_UP_OF and TC_DOWN_OF name a function of an item, TC_BY one that compares two of them;
 * TC_UP_ITSELF and TC_DOWN_ITSELF are for items that are numbers. TC_UP_STRING puts the first by
 * its bytes first, TC_UP_TEXT does so for a tc_text.
 */
#define TC_ORDER(name, type, keys) TC_ORDER_BY(name, type, left_, right_, keys)
/* An order for an array of pointers to such items. */
#define TC_ORDER_OF_POINTERS(name, type, keys)                                                     \
	TC_ORDER_BY(name, type, *(type *const *)left_, *(type *const *)right_, keys)
#define TC_ORDER_BY(name, type, left, right, keys)                                                 \
	static int name(const void *left_, const void *right_)                                     \
	{                                                                                          \
		const type *x_ = left, *y_ = right;                                                \
		keys return 0;                                                                     \
	}                                                                                          \
	struct tc_order_ends_here /* wants a semicolon */
#define TC_KEY(first, second)                                                                      \
	if ((first) < (second))                                                                    \
		return -1;                                                                         \
	if ((first) > (second))                                                                    \
		return 1;
#define TC_KEY_ORDER(order)                                                                        \
	for (int order_ = (order); order_;)                                                        \
		return order_;
#define TC_UP(member) TC_KEY(x_->member, y_->member)
#define TC_DOWN(member) TC_KEY(y_->member, x_->member)
#define TC_UP_OF(function) TC_KEY(function(x_), function(y_))
#define TC_DOWN_OF(function) TC_KEY(function(y_), function(x_))
#define TC_BY(compare) TC_KEY_ORDER(compare(x_, y_))
#define TC_UP_ITSELF TC_KEY(*x_, *y_)
#define TC_DOWN_ITSELF TC_KEY(*y_, *x_)
#define TC_UP_STRING(member) TC_KEY_ORDER(strcmp(x_->member, y_->member))
#define TC_UP_TEXT(member) TC_KEY_ORDER(tc_text_order(x_->member, y_->member))
