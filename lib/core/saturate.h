/* Arithmetic that stops at the ends of int64 instead of overflowing. */
#pragma once

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

/* value * times / by, exact until it is cut off towards 0; 0 where by is 0. */
static inline int64_t tc_scale_saturated(int64_t value, int64_t times, int64_t by)
{
	__extension__ typedef __int128 wide;
	wide scaled = by == 0 ? 0 : (wide)value * times / by;

	return scaled > INT64_MAX ? INT64_MAX : scaled < INT64_MIN ? INT64_MIN : (int64_t)scaled;
}

/* A real number cut off towards 0; INT64_MIN for one that is none. */
static inline int64_t tc_integer_saturated(double value)
{
	return value >= 0x1p63 ? INT64_MAX : value > -0x1p63 ? (int64_t)value : INT64_MIN;
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
