/*
 * Exact numbers from decimal text. A double cannot hold an epoch timestamp with nanoseconds
 * (61 bits), so microseconds go from their digits straight to integer nanoseconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/text.h"

/*
 * Parses a decimal number ("-12", "200.5", "1.5e+15", ".75", "+3", "05", blanks around it) and
 * multiplies it by 10^scale; rounds half away from zero to an integer. Returns false, *out
 * untouched, when the text is not a number or the result does not fit int64.
 */
bool tc_decimal_scaled(int64_t *out, struct tc_text text, int scale);

/* Microseconds as written to nanoseconds; also refuses times outside +-TC_TIME_MAX_NS. */
bool tc_decimal_us_to_ns(int64_t *out_ns, struct tc_text text);

/* An integer exactly as int64 ("12", "-3"); false for fractions, exponents and overflow. */
bool tc_decimal_int64(int64_t *out, struct tc_text text);
/* A number that is an integer, however it is written ("12", "12.0", "1.2e1"); false for others. */
bool tc_decimal_whole(int64_t *out, struct tc_text text);

/*
 * A number as double, same grammar as tc_decimal_scaled; false also when it is too large for one.
 * For counters, never for times. Does not depend on the locale.
 */
bool tc_decimal_double(double *out, struct tc_text text);
/* Whether reading the text gives the same double. */
bool tc_decimal_gives(struct tc_text text, double value);
