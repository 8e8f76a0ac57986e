/* UTF-8 checks, against a decoder that works by code points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/buf.h"
#include "core/text/utf8.h"
#include "decode/json/json_text.h"

/* Every code point is one character where JSON escapes it, surrogates are U+FFFD. */
static void test_all_code_points(void **state)
{
	struct tc_buf out = TC_BUF_EMPTY;

	(void)state;
	for (unsigned c = 1; c <= 0x10ffff; c++) {
		bool cut, good = c < 0xd800 || c > 0xdfff;
		char escapes[16];
		int len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		tc_buf_reset(&out);
		snprintf(escapes, sizeof(escapes), c < 0x10000 ? "\\u%04x" : "\\u%04x\\u%04x",
			c < 0x10000 ? c : 0xd7c0 + (c >> 10), 0xdc00 | (c & 0x3ff));
		tc_json_unescape(&out, tc_text_from(escapes));
		assert_int_equal(out.len, good ? len : 3);
		assert_true(tc_utf8_valid(tc_buf_text(&out)));
		assert_int_equal(tc_utf8_step(out.ptr, out.ptr + out.len, &cut), (int)out.len);
		/* cut short it is bad, and more bytes could mend it */
		if (out.len > 1) {
			assert_int_equal(tc_utf8_step(out.ptr, out.ptr + out.len - 1, &cut),
				1 - (int)out.len);
			assert_true(cut);
		}
	}
	tc_buf_clear(&out);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf",
		"\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xff", "\xfe", "\xc3(", "\xe2\x82(", "\xf0\x9f\x98("};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bool cut;
		assert_false(tc_utf8_valid(tc_text_from(bad[i])));
		assert_true(tc_utf8_step(bad[i], bad[i] + strlen(bad[i]), &cut) < 0);
		assert_false(cut);
	}
	assert_true(tc_utf8_valid(TC_TEXT("")));
	assert_true(tc_utf8_valid(TC_TEXT_NONE));
}

/* The fast check sees a high byte wherever it is. */
static void test_ascii(void **state)
{
	char text[100];

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t len = 0; len <= sizeof(text); len++) {
		assert_true(tc_utf8_valid((struct tc_text){text, len}));
		for (size_t at = 0; at < len; at++) {
			text[at] = (char)0x80;
			assert_false(tc_utf8_valid((struct tc_text){text, len}));
			text[at] = 'a';
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_code_points),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_ascii),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
