/* Interval arithmetic: edges, saturation, and unions against a bitmap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/intervals.h"
#include "core/alloc.h"

static void test_clamps_and_saturates(void **state)
{
	(void)state;
	assert_int_equal(tc_add_saturated(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(tc_add_saturated(INT64_MIN, -1), INT64_MIN);
	assert_int_equal(tc_add_saturated(INT64_MAX, -1), INT64_MAX - 1);
	assert_int_equal(tc_add_saturated(2, 3), 5);
	assert_int_equal(tc_time_clamp(INT64_MIN), TC_TIME_FIRST);
	assert_int_equal(tc_time_clamp(INT64_MAX), TC_TIME_LAST);
	assert_int_equal(tc_time_clamp(-7), -7);
}

static void test_the_widest_interval_has_a_measure(void **state)
{
	(void)state;
	struct tc_interval wide = tc_interval_of(-TC_TIME_MAX_NS, INT64_MAX);
	assert_int_equal(wide.start_ns, TC_TIME_FIRST);
	struct tc_interval all = {TC_TIME_FIRST, TC_TIME_LAST};
	assert_true(tc_interval_measure(all) == INT64_MAX - 1);
	struct tc_interval high = tc_interval_of(TC_TIME_MAX_NS, TC_TIME_MAX_NS);
	assert_int_equal(tc_interval_measure(high), 0);
	assert_int_equal(tc_interval_measure(tc_interval_of(5, -1)), 0);
}

static void test_cuts(void **state)
{
	(void)state;
	struct tc_interval a = {0, 10}, b = {10, 20}, c = {5, 12};
	assert_int_equal(tc_interval_measure(tc_interval_cut(a, b)), 0);
	assert_int_equal(tc_interval_measure(tc_interval_cut(a, c)), 5);
	assert_int_equal(tc_interval_measure(tc_interval_cut(c, b)), 2);
}

static void test_touching_intervals_join(void **state)
{
	(void)state;
	struct tc_interval_set set = TC_INTERVAL_SET_EMPTY;
	assert_int_equal(tc_interval_set_measure(&set), 0);
	tc_interval_set_add(&set, NULL, (struct tc_interval){5, 5});
	assert_int_equal(set.count, 0);
	tc_interval_set_add(&set, NULL, (struct tc_interval){10, 20});
	tc_interval_set_add(&set, NULL, (struct tc_interval){0, 5});
	assert_int_equal(set.count, 2);
	tc_interval_set_add(&set, NULL, (struct tc_interval){5, 10});
	assert_int_equal(set.count, 1);
	assert_int_equal(tc_interval_set_measure(&set), 20);
	tc_interval_set_clear(&set);
}

static void test_unions_are_those_of_a_bitmap(void **state)
{
	(void)state;
	enum { RANGE = 64 };
	srand(7);
	for (int round = 0; round < 3000; round++) {
		struct tc_interval_set set = TC_INTERVAL_SET_EMPTY;
		char bits[RANGE] = {0};
		for (int n = rand() % 12; n > 0; n--) {
			int64_t start = rand() % RANGE, end = start + rand() % (RANGE - start);
			tc_interval_set_add(&set, NULL, (struct tc_interval){start, end});
			memset(bits + start, 1, (size_t)(end - start));
			int64_t want = 0;
			for (int64_t i = 0; i < RANGE; i++)
				want += bits[i];
			assert_int_equal(tc_interval_set_measure(&set), want);
		}
		for (size_t i = 1; i < set.count; i++)
			assert_true(set.items[i - 1].end_ns < set.items[i].start_ns);
		tc_interval_set_clear(&set);
	}
}

static void test_no_memory_changes_nothing(void **state)
{
	(void)state;
	struct tc_interval_set set = TC_INTERVAL_SET_EMPTY;
	struct tc_ctx *ctx = tc_ctx_new();
	tc_alloc_fail_after(0);
	tc_interval_set_add(&set, ctx, (struct tc_interval){0, 1});
	tc_alloc_fail_after(-1);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_NOMEM);
	assert_int_equal(set.count, 0);
	tc_interval_set_clear(&set);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clamps_and_saturates),
		cmocka_unit_test(test_the_widest_interval_has_a_measure),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_touching_intervals_join),
		cmocka_unit_test(test_unions_are_those_of_a_bitmap),
		cmocka_unit_test(test_no_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
