/* Numbers and words of reports: every rounding edge, and texts that would harm a terminal. */
#include "memory_store.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "report/text/format.h"

/* Formats into a fixed place; the texts here are short. */
static const char *shown(struct tc_buf *buf)
{
	static char text[512];

	assert_false(tc_buf_failed(buf));
	assert_true(buf->len < sizeof(text));
	if (buf->len > 0)
		memcpy(text, buf->ptr, buf->len);
	text[buf->len] = '\0';
	tc_buf_clear(buf);
	return text;
}

static void test_ns(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{1, "1 ns"},
		{999, "999 ns"},
		{1000, "1.000 us"},
		{-1234, "-1.234 us"},
		{9999, "9.999 us"},
		{10000, "10.00 us"},
		{12345, "12.35 us"},
		{99994, "99.99 us"},
		{99995, "100.0 us"},
		{999949, "999.9 us"},
		{999950, "1.000 ms"},
		{9999499, "9.999 ms"},
		{9999500, "10.00 ms"},
		{74870000, "74.87 ms"},
		{513299755, "513.3 ms"},
		{999950000, "1.000 s"},
		{59999000000, "60.00 s"},
		{999949999999, "999.9 s"},
		{999950000000, "16 min 39 s"},
		{1020000000000, "17 min"},
		{3599999999999, "59 min 59 s"},
		{3600000000000, "1 h"},
		{86399999999999, "23 h 59 min"},
		{86400000000000, "1 d"},
		{-1122421000000000, "-12 d 23 h"},
		{INT64_MAX, "106,751 d 23 h"},
		{INT64_MIN, "-106,751 d 23 h"},
	};
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tc_format_ns(&buf, cases[i].ns);
		assert_string_equal(shown(&buf), cases[i].text);
	}
}

/* Any duration reads back within half a unit of its last digit, and has at most four digits. */
/* A range has two digits of its upper end, rounded outwards. */
static void test_gain(void **state)
{
	static const struct {
		struct tc_gain_shown gain;
		const char *text;
	} cases[] = {
		{{38120000, 36600000, 39600000}, "38.12 ms"},
		{{38120000, 30100000, 44900000}, "30 to 45 ms"},
		{{247900000, 238000000, 268100000}, "230 to 270 ms"},
		{{4000000000, 3090000000, 4510000000}, "3.0 to 4.6 s"},
		{{900000000, 700000000, 995000000}, "0.7 to 1.0 s"},
		{{900000000, 760000000, 995000000}, "0.7 to 1.0 s"},
		{{5000, 0, 9900}, "0.0 to 9.9 us"},
		{{50, 40, 60}, "40 to 60 ns"},
		{{0, 0, 0}, "0 ns"},
		{{5, 1, 9}, "5 ns"},
		{{900000000000, 700000000000, 999000000000}, "11.6 to 16.7 min"},
		{{2000000000000, 1500000000000, 3599000000000}, "0.4 to 1.0 h"},
		{{50000000000000, 40000000000000, 60000000000000}, "11 to 17 h"},
		{{172800000000000, 100000000000000, 259300000000000}, "1.1 to 3.1 d"},
		{{1, 0, INT64_MAX}, "0 to 106,751 d"},
	};
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tc_format_gain(&buf, &cases[i].gain);
		assert_string_equal(shown(&buf), cases[i].text);
	}
}

static void test_ns_reads_back(void **state)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct tc_buf buf = TC_BUF_EMPTY;
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		int64_t ns = (int64_t)(seed >> (24 + seed % 40));
		ns %= INT64_C(999000000000);
		tc_format_ns(&buf, ns);
		char *unit;
		const char *text = shown(&buf);
		double value = strtod(text, &unit), scale = 0;
		for (size_t u = 0; u < 4; u++)
			if (strcmp(units[u].name, unit + 1) == 0)
				scale = units[u].ns;
		assert_true(scale > 0);
		double error = value * scale - (double)ns;
		assert_true(error <= (double)ns * 0.0005001 && -error <= (double)ns * 0.0005001);
		assert_true(value < 1000);
		assert_true(unit - text <= 5);
	}
}

static void test_counts_and_bytes(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_format_count(&buf, 0);
	assert_string_equal(shown(&buf), "0");
	tc_format_count(&buf, 1000);
	assert_string_equal(shown(&buf), "1,000");
	tc_format_count(&buf, -1234567);
	assert_string_equal(shown(&buf), "-1,234,567");
	tc_format_count(&buf, INT64_MIN);
	assert_string_equal(shown(&buf), "-9,223,372,036,854,775,808");
	tc_format_bytes(&buf, 1023);
	assert_string_equal(shown(&buf), "1.00 KiB");
	tc_format_bytes(&buf, 512);
	assert_string_equal(shown(&buf), "512 B");
	tc_format_bytes(&buf, 102106132480);
	assert_string_equal(shown(&buf), "95.1 GiB");
	tc_format_pct(&buf, 62.345);
	assert_string_equal(shown(&buf), "62.3 %");
	assert_true(tc_format_share_pct(1, 0) == 0);
	assert_true(tc_format_share_pct(1, 4) == 25);
}

static void test_python_ms(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{0, "0.0"},
		{1, "1e-06"},
		{9, "9e-06"},
		{10, "1e-05"},
		{99, "9.9e-05"},
		{100, "0.0001"},
		{1000, "0.001"},
		{123456, "0.123456"},
		{1000000, "1.0"},
		{415491000, "415.491"},
		{507411370, "507.41137"},
		{513299755, "513.299755"},
		{193313984, "193.313984"},
		{-1500000, "-1.5"},
	};
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tc_format_python_ms(&buf, cases[i].ns);
		assert_string_equal(shown(&buf), cases[i].text);
	}
}

/* The text is the shortest that reads back as ns / 1e6, up to eleven days. */
static void test_python_ms_reads_back(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct tc_buf buf = TC_BUF_EMPTY;
		char shorter[400];
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		int64_t ns = (int64_t)((seed >> 14) % UINT64_C(1000000000000000));
		tc_format_python_ms(&buf, ns);
		double value = (double)ns / 1e6;
		const char *text = shown(&buf);
		assert_true(strtod(text, NULL) == value);
		int digits = (int)strcspn(text, ".") + (int)strlen(strchr(text, '.')) - 1;
		snprintf(shorter, sizeof(shorter), "%.*g", digits - 1, value);
		assert_true(digits < 2 || text[0] == '0' || strstr(text, ".0") ||
			    strtod(shorter, NULL) != value);
	}
}

static void test_clean(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_format_clean(&buf, TC_TEXT("a\033[31mb\n\x7f"), false, 0);
	assert_string_equal(shown(&buf), "a?[31mb??");
	tc_format_clean(&buf,
		TC_TEXT("\xc2\x9b"
			"2J caf\xc3\xa9"),
		false, 0); /* C1: CSI */
	assert_string_equal(shown(&buf), "?2J caf\xc3\xa9");
	tc_format_clean(&buf, TC_TEXT("caf\xc3\xa9"), true, 0);
	assert_string_equal(shown(&buf), "caf?");
	tc_format_clean(&buf, TC_TEXT("\xff\xc3"), false, 0);
	assert_string_equal(shown(&buf), "??");
	tc_format_clean(&buf, TC_TEXT("0123456789abcdef"), false, 9);
	assert_string_equal(shown(&buf), "0123\xe2\x80\xa6"
					 "cdef");
	tc_format_clean(&buf, TC_TEXT("0123456789abcdef"), true, 9);
	assert_string_equal(shown(&buf), "012...def");
	tc_format_clean(&buf, TC_TEXT("0123"), false, 4);
	assert_string_equal(shown(&buf), "0123");
	tc_format_clean(&buf, TC_TEXT(""), false, 4);
	assert_string_equal(shown(&buf), "");
}

/* U+202E turns text around, U+200B and tags are not seen, surrogates are no characters. */
static void test_clean_hidden(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_format_clean(&buf,
		TC_TEXT("a\xe2\x80\xae"
			"b\xe2\x80\x8b"
			"c\xf3\xa0\x80\x81"
			"d"),
		false, 0);
	assert_string_equal(shown(&buf), "a?b?c?d");
	tc_format_clean(&buf, TC_TEXT("\xed\xa0\x80 \xef\xbb\xbf \xe2\x80\xa8"), false, 0);
	assert_string_equal(shown(&buf), "??? ? ?");
	tc_format_clean(&buf, TC_TEXT("\xe0\x80\x9b[2J"), false, 0); /* overlong ESC */
	assert_string_equal(shown(&buf), "???[2J");
}

/* Columns of a terminal, not characters: wide ones take two, combining ones none. */
static void test_columns(void **state)
{
	static const char wide[] = "\xe7\x9f\xa9\xe9\x98\xb5\xe4\xb9\x98\xe6\xb3\x95"; /* 4 of 2 */
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	assert_int_equal(tc_format_columns(TC_TEXT("e\xcc\x81t\xc3\xa9")), 3);
	assert_int_equal(tc_format_columns(tc_text_from(wide)), 8);
	assert_int_equal(tc_format_prefix(tc_text_from(wide), 5), 6);
	tc_format_clean(&buf, tc_text_from(wide), false, 6);
	assert_string_equal(shown(&buf), "\xe7\x9f\xa9\xe2\x80\xa6\xe6\xb3\x95");
	tc_format_wrap(&buf, tc_text_from(wide), 0, 0, 5);
	assert_string_equal(shown(&buf), "\xe7\x9f\xa9\xe9\x98\xb5\n\xe4\xb9\x98\xe6\xb3\x95");
	tc_format_wrap(&buf, tc_text_from(wide), 0, 0, 1); /* one at a time, for all that */
	assert_string_equal(shown(&buf), "\xe7\x9f\xa9\n\xe9\x98\xb5\n\xe4\xb9\x98\n\xe6\xb3\x95");
}

static void test_bar(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_format_bar(&buf, 0.5, 10, true);
	assert_string_equal(shown(&buf), "#####     ");
	tc_format_bar(&buf, 0, 4, true);
	assert_string_equal(shown(&buf), "    ");
	tc_format_bar(&buf, 0.0001, 4, true); /* never nothing */
	assert_string_equal(shown(&buf), "#   ");
	tc_format_bar(&buf, 7, 4, true); /* never over its width */
	assert_string_equal(shown(&buf), "####");
	tc_format_bar(&buf, 0.5, 3, false);
	assert_string_equal(shown(&buf), "\xe2\x96\x88\xe2\x96\x8c ");
	tc_format_bar(&buf, 1, 2, false);
	assert_string_equal(shown(&buf), "\xe2\x96\x88\xe2\x96\x88");
}

static void test_wrap(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_format_wrap(&buf, TC_TEXT("one two  three\nfour"), 2, 0, 9);
	assert_string_equal(shown(&buf), "one two\n  three\n  four");
	tc_format_wrap(&buf, TC_TEXT("averylongword x"), 2, 0, 5);
	assert_string_equal(shown(&buf), "avery\n  lon\n  gwo\n  rd\n  x");
	tc_format_wrap(&buf, TC_TEXT("see dir/subdir/page.md now"), 2, 0, 14);
	assert_string_equal(shown(&buf), "see\n  dir/subdir/\n  page.md now");
	tc_format_wrap(&buf, TC_TEXT("a \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"), 0, 0, 3);
	assert_string_equal(shown(&buf), "a\n\xc3\xa9\xc3\xa9\xc3\xa9\n\xc3\xa9");
	tc_format_wrap(&buf, TC_TEXT("ab"), 4, 4, 2); /* no room at all */
	assert_string_equal(shown(&buf), "a\n    b");
	tc_format_wrap(&buf, TC_TEXT("it took 62.3 % (280.0 ms), all"), 0, 0, 14);
	assert_string_equal(shown(&buf), "it took 62.3 %\n(280.0 ms),\nall");
	tc_format_wrap(&buf, TC_TEXT("3 steps"), 0, 0, 5); /* no room for both */
	assert_string_equal(shown(&buf), "3\nsteps");
	tc_format_wrap(&buf, TC_TEXT("2 steps, +220 events"), 0, 0, 14);
	assert_string_equal(shown(&buf), "2 steps,\n+220 events");
	tc_format_wrap(&buf, TC_TEXT(""), 2, 0, 5);
	assert_string_equal(shown(&buf), "");
	tc_format_wrap(&buf, TC_TEXT("5 "), 2, 0, 5);
	assert_string_equal(shown(&buf), "5");
}

static void test_shell(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_format_shell_sql(&buf, TC_TEXT("  SELECT a, -- why\n\t\"b\" /* c */ FROM t\n"
					  "WHERE n = 'x  -- y' AND p = '$HOME`\\';\n"));
	assert_string_equal(shown(&buf),
		"SELECT a,\n  \\\"b\\\" FROM t\nWHERE n = 'x  -- y' AND p = '\\$HOME\\`\\\\'");
	tc_format_shell_sql(&buf, TC_TEXT("SELECT 'it''s'"));
	assert_string_equal(shown(&buf), "SELECT 'it''s'");
	tc_format_shell_sql(&buf, TC_TEXT("a/* open"));
	assert_string_equal(shown(&buf), "a");
	tc_format_shell_sql(&buf, TC_TEXT("'open"));
	assert_string_equal(shown(&buf), "'open");
	tc_format_shell_sql(&buf, TC_TEXT(" ; "));
	assert_string_equal(shown(&buf), "");
	tc_format_shell_word(&buf, TC_TEXT("dir/trace-1.db"));
	assert_string_equal(shown(&buf), "dir/trace-1.db");
	tc_format_shell_word(&buf, TC_TEXT("it's a db"));
	assert_string_equal(shown(&buf), "'it'\\''s a db'");
	tc_format_shell_word(&buf, TC_TEXT(""));
	assert_string_equal(shown(&buf), "''");
	tc_format_shell_word(&buf, TC_TEXT("a\nb's 100%.json"));
	assert_string_equal(shown(&buf), "\"$(printf 'a\\012b\\047s\\040100\\045.json')\"");
	tc_format_shell_word(&buf, TC_TEXT("-n\n!!"));
	assert_string_equal(shown(&buf), "\"$(printf '\\055n\\012\\041\\041')\"");
	tc_format_shell_word(&buf, TC_TEXT("\u202e\xff"));
	assert_string_equal(shown(&buf), "\"$(printf '\\342\\200\\256\\377')\"");
}

/* A buffer that broke takes no harm from more. */
static void test_broken(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_alloc_fail_after(0);
	tc_format_ns(&buf, 12345);
	tc_alloc_fail_after(-1);
	tc_format_wrap(&buf, TC_TEXT("a b"), 2, 0, 1);
	tc_format_bar(&buf, 0.5, 3, false);
	assert_true(tc_buf_failed(&buf));
	tc_buf_clear(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ns),
		cmocka_unit_test(test_ns_reads_back),
		cmocka_unit_test(test_gain),
		cmocka_unit_test(test_counts_and_bytes),
		cmocka_unit_test(test_python_ms),
		cmocka_unit_test(test_python_ms_reads_back),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_clean_hidden),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_bar),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_shell),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
