/* Scans of many bytes at once against one byte at a time: every byte at every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "decode/json/scan.h"

/* Text that ends where its memory does, so that a sanitizer sees a read behind it. */
static char *filled(size_t len, char fill)
{
	char *text = malloc(len + 1);

	assert_non_null(text);
	memset(text, fill, len);
	return text;
}

static const char *slow_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
		p++;
	return p;
}

static const char *slow_string(const char *p, const char *end)
{
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
		p++;
	return p;
}

static void try_byte(size_t len, size_t at, char c)
{
	char *blanks = filled(len, ' '), *string = filled(len, 'x');

	blanks[at] = string[at] = c;
	for (size_t from = 0; from <= at; from += 1 + at / 3) {
		assert_ptr_equal(tc_json_skip_blanks(blanks + from, blanks + len),
			slow_blanks(blanks + from, blanks + len));
		assert_ptr_equal(tc_scan_string(string + from, string + len),
			slow_string(string + from, string + len));
	}
	free(blanks);
	free(string);
}

static void stops_where_one_byte_at_a_time_does(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++)
		for (size_t len = 1; len < 50; len += 1 + len / 8)
			for (size_t at = 0; at < len; at++)
				try_byte(len, at, (char)c);
}

static void mixed_text(void **state)
{
	static const char some[] = " \t\n\v\f\r\"\\\x1f \x7f\x80\xff!xy09 ";
	uint32_t random = 1;
	char text[64];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		for (size_t at = 0; at < sizeof(text); at++) {
			random = random * 1664525 + 1013904223;
			text[at] = some[(random >> 16) % (sizeof(some) - 1)];
			if (random >> 30)
				text[at] = i % 2 ? ' ' : 'x';
		}
		const char *end = text + sizeof(text) - i % 40;
		assert_ptr_equal(tc_json_skip_blanks(text, end), slow_blanks(text, end));
		assert_ptr_equal(tc_scan_string(text, end), slow_string(text, end));
	}
}

static void nothing_is_scanned_of_nothing(void **state)
{
	(void)state;
	assert_string_equal(tc_json_skip_blanks("", ""), "");
	const char *text = "   ";
	assert_ptr_equal(tc_json_skip_blanks(text, text), text);
	assert_ptr_equal(tc_scan_string(text, text), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops_where_one_byte_at_a_time_does),
		cmocka_unit_test(mixed_text),
		cmocka_unit_test(nothing_is_scanned_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
