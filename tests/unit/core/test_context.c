/* The context: error chain, interrupt, progress. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "core/context.h"

static void fresh_context_has_no_error(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	assert_non_null(ctx);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_string_equal(tc_ctx_error(ctx), "");
	assert_false(tc_ctx_interrupted(ctx));
	tc_ctx_interrupt(ctx);
	assert_true(tc_ctx_interrupted(ctx));
	tc_ctx_free(ctx);
	tc_ctx_free(NULL);
}

static void chain_reads_outermost_first(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	assert_int_equal(tc_fail(ctx, TC_ERR_IO, "cannot open %s", "x"), TC_ERR_IO);
	assert_int_equal(tc_fail(ctx, TC_ERR_INPUT, "import %d", 1), TC_ERR_INPUT);
	assert_string_equal(tc_ctx_error(ctx), "import 1: cannot open x");
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_IO); /* that of the root */
	/* The chain itself may be quoted. */
	tc_fail(ctx, TC_ERR_IO, "<%s>", tc_ctx_error(ctx));
	assert_string_equal(
		tc_ctx_error(ctx), "<import 1: cannot open x>: import 1: cannot open x");
	tc_ctx_clear_error(ctx);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_string_equal(tc_ctx_error(ctx), "");
	tc_fail(ctx, TC_ERR_USAGE, "again");
	assert_string_equal(tc_ctx_error(ctx), "again");
	tc_ctx_free(ctx);
}

static void the_root_keeps_the_error_of_the_system(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	assert_int_equal(
		tc_fail_errno(ctx, TC_ERR_READ, ENOENT, TC_TO_READ, "cannot open x"), TC_ERR_READ);
	assert_non_null(strstr(tc_ctx_error(ctx), "cannot open x: No such file or directory: "));
	tc_fail_errno(ctx, TC_ERR_IO, ENOSPC, TC_TO_WRITE, "cannot write y");
	assert_int_equal(tc_ctx_errno(ctx), ENOENT);
	tc_ctx_clear_error(ctx);
	assert_int_equal(tc_ctx_errno(ctx), 0);
	tc_fail(ctx, TC_ERR_IO, "z");
	assert_int_equal(tc_ctx_errno(ctx), 0);
	tc_ctx_free(ctx);
}

static void without_memory_the_status_speaks(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	tc_alloc_fail_after(0);
	assert_int_equal(tc_fail(ctx, TC_ERR_NOMEM, "text"), TC_ERR_NOMEM);
	tc_alloc_fail_after(-1);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_NOMEM);
	assert_string_equal(tc_ctx_error(ctx), "out of memory");
	tc_ctx_free(ctx);
	tc_alloc_fail_after(0);
	assert_null(tc_ctx_new());
	tc_alloc_fail_after(-1);
}

static void every_status_has_a_name(void **state)
{
	(void)state;
	for (int i = TC_OK; i <= TC_ERR_INTERNAL; i++) {
		const char *name = tc_status_name((enum tc_status)i);
		assert_non_null(name);
		assert_string_not_equal(name, "unknown status");
	}
	assert_string_equal(
		tc_status_name((enum tc_status)(TC_ERR_INTERNAL + 1)), "unknown status");
}

static void *fail_often(void *user)
{
	for (int i = 0; i < 500; i++) {
		tc_fail(user, TC_ERR_IO, "x");
		(void)tc_ctx_status(user);
	}
	return NULL;
}

static void threads_may_fail_together(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	pthread_t threads[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, fail_often, ctx), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(strlen(tc_ctx_error(ctx)), 1000 + 999 * 2);
	tc_ctx_free(ctx);
}

static void count_calls(void *user, const struct tc_progress *progress)
{
	(void)progress;
	++*(int *)user;
}

static void progress_is_rare_but_for_the_end(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_progress progress = {"x", 0, 1000, 0};
	int calls = 0;

	(void)state;
	tc_ctx_progress(ctx, &progress); /* nobody listens */
	tc_ctx_set_progress(ctx, count_calls, &calls);
	for (int i = 0; i < 1000; i++)
		tc_ctx_progress(ctx, &progress);
	assert_int_equal(calls, 1);
	nanosleep(&(struct timespec){0, 120 * 1000 * 1000}, NULL);
	tc_ctx_progress(ctx, &progress);
	assert_int_equal(calls, 2);
	progress.read_bytes = 1000;
	tc_ctx_progress(ctx, &progress);
	assert_int_equal(calls, 3);
	tc_ctx_set_progress(ctx, NULL, NULL);
	tc_ctx_progress(ctx, &progress);
	assert_int_equal(calls, 3);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_context_has_no_error),
		cmocka_unit_test(chain_reads_outermost_first),
		cmocka_unit_test(the_root_keeps_the_error_of_the_system),
		cmocka_unit_test(without_memory_the_status_speaks),
		cmocka_unit_test(every_status_has_a_name),
		cmocka_unit_test(threads_may_fail_together),
		cmocka_unit_test(progress_is_rare_but_for_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
