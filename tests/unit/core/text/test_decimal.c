/*
 * Decimal text to integers, against a big-integer calculation that shares nothing with the
 * tested code: it keeps all digits and rounds by comparing remainders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/decimal.h"
#include "core/limits.h"

/* Unsigned big integer, 32 bits a limb, least first: up to 650 decimal digits. */
struct big {
	uint32_t limbs[68];
};

enum { LIMBS = 68 };

static void big_mul_add(struct big *a, uint32_t factor, uint32_t add)
{
	uint64_t carry = add;

	for (int i = 0; i < LIMBS; i++) {
		carry += (uint64_t)a->limbs[i] * factor;
		a->limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	assert_int_equal(carry, 0);
}

static void big_div10(struct big *a)
{
	uint64_t rest = 0;

	for (int i = LIMBS - 1; i >= 0; i--) {
		rest = rest << 32 | a->limbs[i];
		a->limbs[i] = (uint32_t)(rest / 10);
		rest %= 10;
	}
}

static int big_compare(const struct big *a, const struct big *b)
{
	for (int i = LIMBS - 1; i >= 0; i--) {
		if (a->limbs[i] != b->limbs[i])
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
	}
	return 0;
}

static void big_sub(struct big *a, const struct big *b)
{
	int64_t borrow = 0;

	for (int i = 0; i < LIMBS; i++) {
		borrow += (int64_t)a->limbs[i] - b->limbs[i];
		a->limbs[i] = (uint32_t)borrow;
		borrow >>= 32;
	}
	assert_int_equal(borrow, 0);
}

/* digits * 10^exponent, half away from zero; false when it is no int64. */
static bool reference(int64_t *out, bool negative, const char *digits, int exponent)
{
	struct big n = {{0}}, limit = {{0}};

	for (; *digits; digits++)
		big_mul_add(&n, 10, (uint32_t)(*digits - '0'));
	for (int i = 0; i < exponent; i++)
		big_mul_add(&n, 10, 0);
	if (exponent < 0) {
		struct big whole = n, back, unit = {{1}};
		for (int i = exponent; i < 0; i++) {
			big_div10(&whole);
			big_mul_add(&unit, 10, 0);
		}
		back = whole;
		for (int i = exponent; i < 0; i++)
			big_mul_add(&back, 10, 0);
		big_sub(&n, &back); /* the remainder */
		big_mul_add(&n, 2, 0);
		if (big_compare(&n, &unit) >= 0)
			big_mul_add(&whole, 1, 1);
		n = whole;
	}
	limit.limbs[1] = UINT32_C(0x80000000);
	int against = big_compare(&n, &limit);
	if (against > 0 || (against == 0 && !negative))
		return false;
	uint64_t value = (uint64_t)n.limbs[1] << 32 | n.limbs[0];
	*out = negative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

static uint64_t random_state = 20260611;

static uint32_t random_below(uint32_t count)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((random_state >> 33) % count);
}

/* Mostly digits; often those that sit on an edge of rounding or carrying. */
static char random_digit(void)
{
	static const char edges[] = "0000455999";

	return random_below(2) ? edges[random_below(10)] : (char)('0' + random_below(10));
}

struct sample {
	char text[200], digits[160];
	bool negative;
	int exponent;
};

static void random_sample(struct sample *s)
{
	uint32_t whole = random_below(4) ? random_below(22) : random_below(70);
	uint32_t fraction = random_below(3) ? random_below(8) : random_below(70);
	size_t at = 0, digits = 0;

	s->negative = random_below(2);
	s->exponent = 0;
	if (whole + fraction == 0)
		whole = 1;
	if (random_below(8) == 0)
		s->text[at++] = " \t\n\r"[random_below(4)];
	if (s->negative)
		s->text[at++] = '-';
	else if (random_below(4) == 0)
		s->text[at++] = '+';
	for (uint32_t i = 0; i < whole; i++)
		s->text[at++] = s->digits[digits++] = random_digit();
	if (fraction > 0 || random_below(8) == 0)
		s->text[at++] = '.';
	for (uint32_t i = 0; i < fraction; i++)
		s->text[at++] = s->digits[digits++] = random_digit();
	s->digits[digits] = '\0';
	if (random_below(2)) {
		s->exponent = (int)random_below(80) - 40;
		at += (size_t)sprintf(
			s->text + at, "%c%+03d", "eE"[random_below(2)], s -> exponent);
	}
	if (random_below(8) == 0)
		s->text[at++] = ' ';
	s->text[at] = '\0';
	s->exponent -= (int)fraction;
}

static void scaled_is_exact_for_random_texts(void **state)
{
	(void)state;
	int good = 0;

	for (int i = 0; i < 40000; i++) {
		struct sample s;
		int64_t expected = -1, got = -1;
		int scale = (int)random_below(13) - 3;
		random_sample(&s);
		bool want = reference(&expected, s.negative, s.digits, s.exponent + scale);
		bool have = tc_decimal_scaled(&got, tc_text_from(s.text), scale);
		if (want != have || (want && got != expected))
			fail_msg("\"%s\" * 10^%d: %d %lld, expected %d %lld", s.text, scale, have,
				(long long)got, want, (long long)expected);
		good += want;
	}
	assert_true(good > 10000); /* the generator makes enough numbers that fit */
	assert_true(good < 39000); /* and enough that do not */
}

static void us_to_ns_is_exact_for_random_texts(void **state)
{
	(void)state;
	for (int i = 0; i < 40000; i++) {
		struct sample s;
		int64_t expected = -1, got = -1;
		random_sample(&s);
		bool want = reference(&expected, s.negative, s.digits, s.exponent + 3) &&
			    expected <= TC_TIME_MAX_NS && expected >= -TC_TIME_MAX_NS;
		bool have = tc_decimal_us_to_ns(&got, tc_text_from(s.text));
		if (want != have || (want && got != expected))
			fail_msg("\"%s\" us: %d %lld, expected %d %lld", s.text, have,
				(long long)got, want, (long long)expected);
		if (!have)
			assert_int_equal(got, -1);
	}
}

/* What profilers write: epoch microseconds with up to six places. */
static void us_to_ns_is_exact_for_timestamps(void **state)
{
	(void)state;
	for (int i = 0; i < 40000; i++) {
		int64_t whole = INT64_C(1700000000000000) + random_below(1000000000), got;
		int places = (int)random_below(7);
		long long unit[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
		long long part = random_below((uint32_t)unit[places]);
		char text[64];
		if (places == 0)
			snprintf(text, sizeof(text), "%lld", (long long)whole);
		else
			snprintf(text, sizeof(text), "%lld.%0*lld", (long long)whole, places, part);
		int64_t pico = part * (1000000 / unit[places]);
		assert_true(tc_decimal_us_to_ns(&got, tc_text_from(text)));
		assert_int_equal(got, whole * 1000 + (pico + 500) / 1000);
	}
}

static void scaled_accepts_the_grammar(void **state)
{
	static const struct {
		const char *text;
		int scale;
		int64_t value;
	} rows[] = {
		{"0", 3, 0},
		{"-0", 0, 0},
		{"+3", 0, 3},
		{"05", 0, 5},
		{".75", 2, 75},
		{"5.", 0, 5},
		{"200.5", 3, 200500},
		{"1.5e+15", 0, INT64_C(1500000000000000)},
		{" \t12\r\n", 0, 12},
		{"0.5", 0, 1},
		{"-0.5", 0, -1},
		{"0.4999999999999999999999999999999999999999999999999999", 0, 0},
		{"0.0005", 3, 1},
		{"0.00049", 3, 0},
		{"9223372036854775807", 0, INT64_MAX},
		{"-9223372036854775808", 0, INT64_MIN},
		{"9223372036854775807.4", 0, INT64_MAX},
		{"0.9223372036854775807e19", 0, INT64_MAX},
		{"1e-999999999999999999999", 0, 0},
		{"0e999999999999999999999", 0, 0},
		{"1e1", -2, 0},
		{"5e1", -2, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t value = 77;
		assert_true(tc_decimal_scaled(&value, tc_text_from(rows[i].text), rows[i].scale));
		assert_int_equal(value, rows[i].value);
	}
}

static void scaled_refuses_what_is_no_number(void **state)
{
	static const char *const texts[] = {"", " ", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e-",
		"--1", "+-1", "1 2", "1,5", "0x10", "NaN", "Infinity", "inf", "1.2.3", "1e5.0",
		"1e5e5", "12a", "- 1", "12\x01"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int64_t value = 77;
		double real = 77;
		if (tc_decimal_scaled(&value, tc_text_from(texts[i]), 0))
			fail_msg("\"%s\" became %lld", texts[i], (long long)value);
		assert_int_equal(value, 77);
		assert_false(tc_decimal_double(&real, tc_text_from(texts[i])));
		assert_true(real == 77);
	}
	int64_t value;
	assert_false(tc_decimal_scaled(&value, TC_TEXT_NONE, 0));
	assert_false(tc_decimal_scaled(&value, ((struct tc_text){"1\0", 2}), 0));
}

/* Texts without bytes have no place either; sanitizers see arithmetic with it. */
static void nothing_is_no_number(void **state)
{
	int64_t value;
	double real;

	(void)state;
	assert_false(tc_decimal_scaled(&value, TC_TEXT_NONE, 0));
	assert_false(tc_decimal_us_to_ns(&value, TC_TEXT_NONE));
	assert_false(tc_decimal_int64(&value, TC_TEXT_NONE));
	assert_false(tc_decimal_double(&real, TC_TEXT_NONE));
}

static void scaled_refuses_what_is_no_int64(void **state)
{
	static const char *const texts[] = {"9223372036854775808", "-9223372036854775809",
		"9223372036854775807.5", "-9223372036854775808.5", "1e19", "18446744073709551616",
		"1e999999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int64_t value = 77;
		if (tc_decimal_scaled(&value, tc_text_from(texts[i]), 0))
			fail_msg("\"%s\" became %lld", texts[i], (long long)value);
		assert_int_equal(value, 77);
	}
}

/* A million zeros and an exponent that makes up for them. */
static void long_texts_are_exact(void **state)
{
	size_t zeros = 1000000;
	char *text = malloc(zeros + 40);
	int64_t value;
	double real;

	(void)state;
	assert_non_null(text);
	memset(text, '0', zeros);
	text[1] = '.';
	strcpy(text + zeros, "125e1000002");
	assert_true(tc_decimal_scaled(&value, tc_text_from(text), 0));
	assert_int_equal(value, 1250); /* 125e-1000001 times 1e1000002 */
	assert_true(tc_decimal_double(&real, tc_text_from(text)));
	assert_true(real == 1250.0);
	text[1] = '0';
	strcpy(text + zeros, "125e-2");
	assert_true(tc_decimal_scaled(&value, tc_text_from(text), 0));
	assert_int_equal(value, 1);
	free(text);
}

/* value as microseconds with three places. */
static bool parse_ns(int64_t *ns, int64_t value)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char text[64];

	snprintf(text, sizeof(text), "%s%llu.%03llu", value < 0 ? "-" : "",
		(unsigned long long)(size / 1000), (unsigned long long)(size % 1000));
	return tc_decimal_us_to_ns(ns, tc_text_from(text));
}

static void us_to_ns_keeps_the_limit(void **state)
{
	int64_t ns = 77;

	(void)state;
	assert_true(parse_ns(&ns, TC_TIME_MAX_NS));
	assert_int_equal(ns, TC_TIME_MAX_NS);
	assert_true(parse_ns(&ns, -TC_TIME_MAX_NS));
	assert_int_equal(ns, -TC_TIME_MAX_NS);
	ns = 77;
	assert_false(parse_ns(&ns, TC_TIME_MAX_NS + 1));
	assert_false(parse_ns(&ns, -TC_TIME_MAX_NS - 1));
	assert_false(parse_ns(&ns, INT64_MIN));
	assert_false(tc_decimal_us_to_ns(&ns, TC_TEXT("99999999999999999")));
	assert_int_equal(ns, 77);
	assert_true(tc_decimal_us_to_ns(&ns, TC_TEXT("999999999999999")));
	assert_int_equal(ns, INT64_C(999999999999999000));
}

static void int64_takes_integers_only(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} rows[] = {
		{"0", true, 0},
		{"-0", true, 0},
		{"007", true, 7},
		{"-3", true, -3},
		{"9223372036854775807", true, INT64_MAX},
		{"-9223372036854775808", true, INT64_MIN},
		{"9223372036854775808", false, 0},
		{"-9223372036854775809", false, 0},
		{"18446744073709551615", false, 0},
		{"99999999999999999999999", false, 0},
		{"", false, 0},
		{"-", false, 0},
		{"1.0", false, 0},
		{"1e3", false, 0},
		{" 1", false, 0},
		{"1 ", false, 0},
		{"--1", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t value = 77;
		bool good = tc_decimal_int64(&value, tc_text_from(rows[i].text));
		if (good != rows[i].good || value != (good ? rows[i].value : 77))
			fail_msg("\"%s\": %d %lld", rows[i].text, good, (long long)value);
	}
}

static void whole(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} rows[] = {
		{"12", true, 12},
		{"12.0", true, 12},
		{"12.000e0", true, 12},
		{"1.2e1", true, 12},
		{"120e-1", true, 12},
		{"-1.2E+1", true, -12},
		{"0.0", true, 0},
		{"-0e5", true, 0},
		{"9.223372036854775807e18", true, INT64_MAX},
		{"-922337203685477580800e-2", true, INT64_MIN},
		{"12.5", false, 0},
		{"1e-1", false, 0},
		{"0.001", false, 0},
		{"9223372036854775808", false, 0},
		{"1e19", false, 0},
		{"1e", false, 0},
		{"x", false, 0},
		{"", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t value = 77;
		bool good = tc_decimal_whole(&value, tc_text_from(rows[i].text));
		if (good != rows[i].good || value != (good ? rows[i].value : 77))
			fail_msg("\"%s\": %d %lld", rows[i].text, good, (long long)value);
	}
}

/* strtod() in the C locale is the judge. */
static void double_rounds_like_strtod(void **state)
{
	(void)state;
	for (int i = 0; i < 40000; i++) {
		struct sample s;
		double got = 77, expected;
		char bare[200];
		random_sample(&s);
		if (strlen(s.digits) > 40) /* further digits are not looked at */
			continue;
		sscanf(s.text, " %199s", bare);
		expected = strtod(bare, NULL);
		assert_true(tc_decimal_double(&got, tc_text_from(s.text)));
		if (got != expected || signbit(got) != signbit(expected))
			fail_msg("\"%s\": %.17g, expected %.17g", s.text, got, expected);
	}
}

static void double_has_no_infinity(void **state)
{
	double value = 77;

	(void)state;
	assert_false(tc_decimal_double(&value, TC_TEXT("1e400")));
	assert_false(tc_decimal_double(&value, TC_TEXT("-1e99999999999999999999")));
	assert_true(value == 77);
	assert_true(tc_decimal_double(&value, TC_TEXT("1e-400")));
	assert_true(value == 0);
	assert_true(tc_decimal_double(&value, TC_TEXT("1.7976931348623157e308")));
	assert_true(value == 1.7976931348623157e308);
}

/* A German terminal writes 1,5; traces do not. */
static void double_ignores_the_locale(void **state)
{
	double value;

	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "de_DE"))
		skip();
	assert_true(tc_decimal_double(&value, TC_TEXT("1.2345678901234567890123")));
	setlocale(LC_NUMERIC, "C");
	assert_true(value == 1.2345678901234567890123);
}

/* Digits are read by eights: each other byte is seen at each place. */
static void no_other_byte_passes_for_a_digit(void **state)
{
	static const char *const texts[] = {"12345678", "1234567890123456", "1689804275561.7185",
		"1.6898042755617e+15", "99.999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (size_t at = 0; at < strlen(texts[i]); at++) {
			for (int c = 0; c < 256; c++) {
				char text[32];
				int64_t ns = -1, wanted = -1;
				strcpy(text, texts[i]);
				text[at] = (char)c;
				struct tc_text all = {text, strlen(texts[i])};
				bool good = tc_decimal_us_to_ns(&ns, all);
				assert_int_equal(good, tc_decimal_scaled(&wanted, all, 3) &&
							       wanted <= TC_TIME_MAX_NS);
				assert_true(!good || ns == wanted);
				bool digits = strspn(text, "0123456789") == all.len ||
					      (text[0] == '-' && strspn(text + 1, "0123456789") ==
									 all.len - 1);
				assert_int_equal(tc_decimal_int64(&ns, all), digits);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaled_is_exact_for_random_texts),
		cmocka_unit_test(us_to_ns_is_exact_for_random_texts),
		cmocka_unit_test(us_to_ns_is_exact_for_timestamps),
		cmocka_unit_test(scaled_accepts_the_grammar),
		cmocka_unit_test(scaled_refuses_what_is_no_number),
		cmocka_unit_test(nothing_is_no_number),
		cmocka_unit_test(scaled_refuses_what_is_no_int64),
		cmocka_unit_test(long_texts_are_exact),
		cmocka_unit_test(us_to_ns_keeps_the_limit),
		cmocka_unit_test(int64_takes_integers_only),
		cmocka_unit_test(whole),
		cmocka_unit_test(no_other_byte_passes_for_a_digit),
		cmocka_unit_test(double_rounds_like_strtod),
		cmocka_unit_test(double_has_no_infinity),
		cmocka_unit_test(double_ignores_the_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
