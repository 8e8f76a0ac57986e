/* Arena: arrays are zero and apart, and a failure is kept until the arena is cleared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/alloc.h"
#include "core/collections/arena.h"

static void arrays_are_zero_and_do_not_share_memory(void **state)
{
	struct tc_arena arena = {0};
	int64_t *numbers[100];

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		TC_ARENA(&arena, numbers[i], i);
		for (size_t k = 0; k < i; k++) {
			assert_int_equal(numbers[i][k], 0);
			numbers[i][k] = (int64_t)i;
		}
	}
	for (size_t i = 0; i < 100; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_equal(numbers[i][k], (int64_t)i);
	tc_arena_clear(&arena);
}

static void a_failure_is_kept(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_arena arena = {.ctx = ctx};

	(void)state;
	assert_non_null(tc_arena_take(&arena, 1, 1));
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_null(tc_arena_take(&arena, SIZE_MAX / 2, 3));
	assert_non_null(tc_arena_take(&arena, 1, 1));
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_NOMEM);
	tc_arena_clear(&arena);
	tc_ctx_clear_error(ctx);
	tc_alloc_fail_after(0);
	assert_null(tc_arena_take(&arena, 1, 1));
	tc_alloc_fail_after(-1);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_NOMEM);
	tc_arena_clear(&arena);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_zero_and_do_not_share_memory),
		cmocka_unit_test(a_failure_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
