/* Arithmetic that stops at the ends of int64 instead of overflowing. */
#ifndef TC_CORE_SATURATE_H
#define TC_CORE_SATURATE_H

#include <stdint.h>

static inline int64_t tc_add_saturated(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? (a > 0 ? INT64_MAX : INT64_MIN) : sum;
}

static inline int64_t tc_sub_saturated(int64_t a, int64_t b)
{
	int64_t difference;

	return __builtin_sub_overflow(a, b, &difference) ? (a > b ? INT64_MAX : INT64_MIN)
							 : difference;
}

static inline int64_t tc_mul_saturated(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) ? ((a > 0) == (b > 0) ? INT64_MAX : INT64_MIN)
						      : product;
}

static inline int64_t tc_negate_saturated(int64_t value)
{
	return tc_sub_saturated(0, value);
}

/* The value without its sign. */
static inline int64_t tc_magnitude_saturated(int64_t value)
{
	return value < 0 ? tc_negate_saturated(value) : value;
}

#endif
