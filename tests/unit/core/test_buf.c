/* Growable buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "core/alloc.h"
#include "core/buf.h"

static void empty_buffer_is_an_empty_string(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_buf_append(&buf, NULL, 0);
	tc_buf_append_text(&buf, TC_TEXT_NONE);
	tc_buf_consume(&buf, 0);
	assert_int_equal(tc_buf_text(&buf).len, 0);
	assert_non_null(tc_buf_text(&buf).ptr);
	assert_string_equal(tc_buf_string(&buf), "");
	tc_buf_clear(&buf);
	assert_null(buf.ptr);
}

static void appends_add_up(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_buf_append_string(&buf, "ab");
	tc_buf_append_char(&buf, '\0');
	tc_buf_append_text(&buf, TC_TEXT("cd"));
	tc_buf_format(&buf, "%d%s", 42, "");
	assert_int_equal(buf.len, 7);
	assert_memory_equal(tc_buf_string(&buf), "ab\0cd42", 8);
	tc_buf_consume(&buf, 3);
	assert_string_equal(tc_buf_string(&buf), "cd42");
	tc_buf_consume(&buf, 4);
	assert_int_equal(buf.len, 0);
	tc_buf_clear(&buf);
}

/* Every length around the growth steps, through each way to append. */
static void every_length_fits(void **state)
{
	char expected[200];

	(void)state;
	memset(expected, 'x', sizeof(expected));
	for (int len = 0; len < 200; len++) {
		struct tc_buf once = TC_BUF_EMPTY, bytewise = TC_BUF_EMPTY, printed = TC_BUF_EMPTY;
		tc_buf_append(&once, expected, (size_t)len);
		tc_buf_format(&printed, "%.*s", len, expected);
		for (int i = 0; i < len; i++)
			tc_buf_append_char(&bytewise, 'x');
		assert_int_equal(strlen(tc_buf_string(&once)), len);
		assert_string_equal(tc_buf_string(&once), tc_buf_string(&bytewise));
		assert_string_equal(tc_buf_string(&once), tc_buf_string(&printed));
		tc_buf_clear(&once);
		tc_buf_clear(&bytewise);
		tc_buf_clear(&printed);
	}
}

static void broken_buffer_stays_broken_until_reset(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_alloc_fail_after(0);
	tc_buf_append_string(&buf, "lost");
	tc_alloc_fail_after(-1);
	tc_buf_append_string(&buf, "ignored");
	tc_buf_format(&buf, "%d", 1);
	assert_true(tc_buf_failed(&buf));
	assert_int_equal(buf.len, 0);
	assert_null(tc_buf_string(&buf));
	tc_buf_reset(&buf);
	assert_false(tc_buf_failed(&buf));
	tc_buf_append_string(&buf, "back");
	assert_string_equal(tc_buf_string(&buf), "back");
	tc_buf_clear(&buf);
}

static void failed_growth_keeps_what_is_there(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;
	char many[64] = {0};

	(void)state;
	tc_buf_append_string(&buf, "keep");
	tc_alloc_fail_after(0);
	tc_buf_append(&buf, many, sizeof(many));
	tc_alloc_fail_after(-1);
	assert_true(tc_buf_failed(&buf));
	assert_int_equal(buf.len, 4);
	assert_memory_equal(buf.ptr, "keep", 4);
	tc_buf_clear(&buf);
}

static void impossible_size_breaks_the_buffer(void **state)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	(void)state;
	tc_buf_append_string(&buf, "x");
	tc_buf_append(&buf, "y", SIZE_MAX - 1);
	assert_true(tc_buf_failed(&buf));
	assert_int_equal(buf.len, 1);
	tc_buf_clear(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_buffer_is_an_empty_string),
		cmocka_unit_test(appends_add_up),
		cmocka_unit_test(every_length_fits),
		cmocka_unit_test(broken_buffer_stays_broken_until_reset),
		cmocka_unit_test(failed_growth_keeps_what_is_there),
		cmocka_unit_test(impossible_size_breaks_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
