/* The window: what was shown and is still needed stays in one piece, and says where it went. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "decode/window.h"

static void expect_rest(const struct tc_window *window, int64_t offset, const char *expected)
{
	struct tc_text rest = tc_window_rest(window, offset);

	assert_true(tc_text_equal(rest, tc_text_from(expected)));
	if (rest.len > 0)
		assert_int_equal(*tc_window_at(window, offset), expected[0]);
}

/* What moved is what was needed, from where it stood. */
static void expect_move(const struct tc_window_move *move, const char *from,
	const struct tc_window *window, int64_t offset, size_t len)
{
	assert_ptr_equal(move->from, from);
	assert_ptr_equal(move->to, tc_window_at(window, offset));
	assert_int_equal(move->len, len);
}

static void bytes_are_shown_where_they_are(void **state)
{
	static const char bytes[] = "abcdef", more[] = "ghi";
	struct tc_window window;

	(void)state;
	tc_window_init(&window, 10);
	assert_int_equal(tc_window_end(&window), 10);
	tc_window_show(&window, bytes, 6);
	assert_ptr_equal(tc_window_at(&window, 10), bytes);
	assert_int_equal(tc_window_end(&window), 16);
	expect_rest(&window, 14, "ef");
	expect_rest(&window, 16, "");
	tc_window_show(&window, more, 3);
	assert_ptr_equal(tc_window_at(&window, 16), more);
	assert_int_equal(tc_window_end(&window), 19);
	tc_window_clear(&window);
}

static void what_is_needed_is_kept_and_joined(void **state)
{
	static const char bytes[] = "abcdef";
	struct tc_window_move move = {0};
	struct tc_window window;

	(void)state;
	tc_window_init(&window, 0);
	tc_window_show(&window, bytes, 6);
	assert_true(tc_window_keep(&window, &move, 4));
	expect_move(&move, bytes + 4, &window, 4, 2);
	expect_rest(&window, 4, "ef");
	const char *old = tc_window_at(&window, 4);
	assert_true(tc_window_add(&window, &move, 4, "ghijkl", 6));
	expect_move(&move, old, &window, 4, 2);
	expect_rest(&window, 4, "efghijkl");
	/* Little goes: nothing moves. Much goes: the rest moves to the front. */
	assert_true(tc_window_add(&window, &move, 5, "m", 1));
	assert_int_equal(window.base, 4);
	expect_rest(&window, 5, "fghijklm");
	old = tc_window_at(&window, 11);
	assert_true(tc_window_add(&window, &move, 11, "n", 1));
	assert_int_equal(window.base, 11);
	assert_int_equal(move.len, 2);
	assert_ptr_equal(move.from, old);
	expect_rest(&window, 11, "lmn");
	assert_int_equal(tc_window_end(&window), 14);
	tc_window_jump(&window, 100);
	assert_int_equal(tc_window_end(&window), 100);
	expect_rest(&window, 100, "");
	tc_window_clear(&window);
}

/* One byte at a time, with a tail of up to ten that is needed: never more than twice that stays. */
static void memory_follows_what_is_needed(void **state)
{
	struct tc_window_move move = {0};
	struct tc_window window;

	(void)state;
	tc_window_init(&window, 0);
	for (int64_t i = 0; i < 100000; i++) {
		char c = (char)('a' + i % 26);
		int64_t from = i < 10 ? 0 : i - 10;
		assert_true(tc_window_add(&window, &move, from, &c, 1));
		assert_int_equal(*tc_window_at(&window, from), 'a' + from % 26);
		assert_int_equal(tc_window_end(&window), i + 1);
		assert_in_range(window.len, 1, 24);
	}
	tc_window_clear(&window);
}

static void want_of_memory_is_told(void **state)
{
	static char bytes[100000];
	struct tc_window_move move = {0};
	struct tc_window window;

	(void)state;
	tc_window_init(&window, 0);
	tc_window_show(&window, bytes, sizeof(bytes));
	tc_alloc_fail_after(0);
	assert_false(tc_window_keep(&window, &move, 0));
	tc_alloc_fail_after(-1);
	tc_window_clear(&window);
	tc_window_init(&window, 0);
	tc_alloc_fail_after(0);
	assert_false(tc_window_add(&window, &move, 0, bytes, sizeof(bytes)));
	tc_alloc_fail_after(-1);
	tc_window_clear(&window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_shown_where_they_are),
		cmocka_unit_test(what_is_needed_is_kept_and_joined),
		cmocka_unit_test(memory_follows_what_is_needed),
		cmocka_unit_test(want_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
