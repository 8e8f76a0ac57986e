/*
 * Decimal text to exact integers and to doubles. The common forms are read directly (plain_...());
 * all others become digits and an exponent first: "-1200.5e2" is -12005 * 10^1. Rounding is half
 * away from zero, and the result does not depend on the locale.
 */
#include "core/text/decimal.h"

#include <math.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/limits.h"

/* A parsed number: digits[0..count) without leading zeros, value digits * 10^exponent. */
struct decimal {
	bool negative;
	/* An int64 has 19, one more decides the rounding; later ones do not count. */
	char digits[40];
	int count;
	int64_t exponent; /* as wide as a text is long, so that "0.000...1e+4000000" is exact */
};

/* Written exponents beyond this are cut to it: no text is long enough to make up for them. */
static const int64_t EXPONENT_LIMIT = INT64_C(1000000000000000);

static void add_digit(struct decimal *d, char c, bool fraction)
{
	if (fraction)
		d->exponent--;
	if (d->count == 0 && c == '0')
		return;
	if (d->count < (int)sizeof(d->digits)) {
		d->digits[d->count++] = c;
		return;
	}
	d->exponent++;
}

/* Reads "e+12" at *at; false when there is an e without digits. */
static bool read_exponent(struct decimal *d, const char **at, const char *end)
{
	const char *p = *at;
	bool negative = false;
	int64_t value = 0;

	if (p == end || (*p != 'e' && *p != 'E'))
		return true;
	p++;
	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	if (p == end || !tc_is_digit(*p))
		return false;
	for (; p < end && tc_is_digit(*p); p++)
		value = value < EXPONENT_LIMIT ? value * 10 + (*p - '0') : value;
	d->exponent += negative ? -value : value;
	*at = p;
	return true;
}

static bool read_decimal(struct decimal *d, struct tc_text text)
{
	struct tc_text bare = tc_text_trim(text);
	int seen = 0;

	*d = (struct decimal){0};
	if (bare.len == 0)
		return false; /* its ptr may be NULL */
	const char *p = bare.ptr, *end = bare.ptr + bare.len;
	if (p < end && (*p == '+' || *p == '-'))
		d->negative = *p++ == '-';
	for (; p < end && tc_is_digit(*p); p++, seen++)
		add_digit(d, *p, false);
	if (p < end && *p == '.') {
		for (p++; p < end && tc_is_digit(*p); p++, seen++)
			add_digit(d, *p, true);
	}
	return seen > 0 && read_exponent(d, &p, end) && p == end;
}

/* digits * 10^exponent as unsigned, rounded half up; false on overflow. */
static bool to_unsigned(uint64_t *out, const struct decimal *d)
{
	int64_t whole = d->count + d->exponent; /* digits before the decimal point */
	uint64_t value = 0;

	if (d->count == 0 || whole < 0) {
		*out = 0;
		return true;
	}
	if (whole > 19)
		return false;
	for (int i = 0; i < whole; i++)
		value = value * 10 + (uint64_t)(i < d->count ? d->digits[i] - '0' : 0);
	if (whole < d->count && d->digits[whole] >= '5')
		value++;
	*out = value;
	return true;
}

static bool to_signed(int64_t *out, const struct decimal *d)
{
	uint64_t value;

	if (!to_unsigned(&value, d) || value > (uint64_t)INT64_MAX + (d->negative ? 1 : 0))
		return false;
	*out = d->negative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

bool tc_decimal_scaled(int64_t *out, struct tc_text text, int scale)
{
	struct decimal d;

	if (!read_decimal(&d, text))
		return false;
	d.exponent += scale;
	return to_signed(out, &d);
}

/* Reads eight digits of the text as one word; false unless all are digits. */
static bool read_eight(const char *p, uint64_t *value)
{
	const uint64_t zeros = UINT64_C(0x3030303030303030);
	uint64_t word;

	memcpy(&word, p, 8);
	/* The high half of each byte is 3, and with 6 more still is: the low half is below 10. */
	uint64_t more = word + UINT64_C(0x0606060606060606);
	if (((word ^ zeros) | (more ^ zeros)) & UINT64_C(0xf0f0f0f0f0f0f0f0))
		return false;
	/* Neighbours are joined: to four numbers of two digits, two of four, one of eight. */
	word = (word - zeros) * (1 + (10 << 8)) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
	word = word * (1 + (100 << 16)) >> 16 & UINT64_C(0x0000ffff0000ffff);
	word = word * (1 + (UINT64_C(10000) << 32)) >> 32;
	*value = *value * 100000000 + word;
	return true;
}

/* Reads digits into *value and counts them; stops at anything else. */
static size_t read_digits(const char *p, const char *end, uint64_t *value)
{
	const char *start = p;

	while (end - p >= 8 && read_eight(p, value))
		p += 8;
	for (; p < end && tc_is_digit(*p); p++)
		*value = *value * 10 + (uint64_t)(*p - '0');
	return (size_t)(p - start);
}

static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	1000000000, UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
	UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
	UINT64_C(10000000000000000), UINT64_C(100000000000000000), UINT64_C(1000000000000000000)};
enum { POWER_COUNT = TC_COUNT_OF(powers) };

/* The NN of "e+NN" at *p, which is behind it then; 0 without one. */
static uint64_t read_plain_exponent(const char **p, const char *end)
{
	uint64_t exponent = 0;

	if (end - *p > 2 && end - *p <= 4 && **p == 'e' && (*p)[1] == '+') {
		*p += 2;
		*p += read_digits(*p, end, &exponent);
	}
	return exponent;
}

/*
 * The common cases, decided without parsing into digits: digits, a point, digits, e+NN, as
 * long as all digits fit 64 bits and the result needs no rounding. False means: not decided.
 */
static bool plain_us_to_ns(int64_t *out_ns, struct tc_text text)
{
	uint64_t value = 0;

	if (text.len == 0 || text.len > 24)
		return false;
	const char *p = text.ptr, *end = text.ptr + text.len;
	size_t whole = read_digits(p, end, &value), places = 0;
	p += whole;
	if (p < end && *p == '.') {
		places = read_digits(p + 1, end, &value);
		p += 1 + places;
	}
	if (whole == 0 || whole + places > 18)
		return false;
	uint64_t exponent = read_plain_exponent(&p, end);
	if (p != end || exponent + 3 < places || exponent + 3 - places >= POWER_COUNT)
		return false;
	if (__builtin_mul_overflow(value, powers[exponent + 3 - places], &value) ||
		value > (uint64_t)TC_TIME_MAX_NS)
		return false;
	*out_ns = (int64_t)value;
	return true;
}

bool tc_decimal_us_to_ns(int64_t *out_ns, struct tc_text text)
{
	int64_t ns;

	if (plain_us_to_ns(out_ns, text))
		return true;
	if (!tc_decimal_scaled(&ns, text, 3))
		return false;
	if (ns > TC_TIME_MAX_NS || ns < -TC_TIME_MAX_NS)
		return false;
	*out_ns = ns;
	return true;
}

/* An integer of up to 18 digits, which cannot overflow. False means: not decided. */
static bool plain_int64(int64_t *out, struct tc_text text)
{
	uint64_t value = 0;

	if (text.len == 0 || text.len > 18)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned char)text.ptr[i] - (unsigned)'0';
		if (digit > 9)
			return false;
		value = value * 10 + digit;
	}
	*out = (int64_t)value;
	return true;
}

bool tc_decimal_int64(int64_t *out, struct tc_text text)
{
	if (plain_int64(out, text))
		return true;
	bool negative = text.len > 0 && text.ptr[0] == '-';
	uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0), value = 0;
	size_t i = negative ? 1 : 0;

	if (i == text.len)
		return false;
	for (; i < text.len; i++) {
		if (!tc_is_digit(text.ptr[i]))
			return false;
		uint64_t digit = (uint64_t)(text.ptr[i] - '0');
		if (value > (limit - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = negative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

bool tc_decimal_whole(int64_t *out, struct tc_text text)
{
	struct decimal d;

	if (tc_decimal_int64(out, text))
		return true;
	if (!read_decimal(&d, text))
		return false;
	/* Zeros at the end of the digits are as good as an exponent. */
	while (d.count > 0 && d.digits[d.count - 1] == '0') {
		d.count--;
		d.exponent++;
	}
	return (d.count == 0 || d.exponent >= 0) && to_signed(out, &d);
}

/*
 * Powers of ten that a double holds exactly. With digits below 2^53, one multiplication or
 * division by such a power rounds once, as it should.
 */
static const double exact_powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_DIGITS = 15, EXACT_POWER = 22 };

static double small_to_double(const struct decimal *d)
{
	int64_t digits = 0;

	for (int i = 0; i < d->count; i++)
		digits = digits * 10 + (d->digits[i] - '0');
	return d->exponent < 0 ? (double)digits / exact_powers[-d->exponent]
			       : (double)digits * exact_powers[d->exponent];
}

/* strtod() for the rest, given digits and exponent only: a decimal point would depend on the
 * locale of the program. */
static double large_to_double(const struct decimal *d)
{
	char text[sizeof(d->digits) + 8], *p = text + d->count;
	int64_t exponent = d->exponent;

	memcpy(text, d->digits, (size_t)d->count);
	/* Beyond +-9999 all is infinity or zero, whatever the digits. */
	exponent = exponent > 9999 ? 9999 : exponent < -9999 ? -9999 : exponent;
	*p++ = 'e';
	*p++ = exponent < 0 ? '-' : '+';
	exponent = exponent < 0 ? -exponent : exponent;
	for (int unit = 1000; unit > 0; unit /= 10)
		*p++ = (char)('0' + exponent / unit % 10);
	*p = '\0';
	return strtod(text, NULL);
}

bool tc_decimal_double(double *out, struct tc_text text)
{
	struct decimal d;

	if (!read_decimal(&d, text))
		return false;
	bool small =
		d.count <= EXACT_DIGITS && d.exponent >= -EXACT_POWER && d.exponent <= EXACT_POWER;
	double value = d.count == 0 ? 0 : small ? small_to_double(&d) : large_to_double(&d);
	if (isinf(value))
		return false;
	*out = d.negative ? -value : value;
	return true;
}

bool tc_decimal_gives(struct tc_text text, double value)
{
	double again;

	return tc_decimal_double(&again, text) && !(again < value) && !(again > value);
}
