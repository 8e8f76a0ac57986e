/* The spill file: what was appended is read, at any place, before and after it left the buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/alloc.h"
#include "core/sort/spill.h"

enum { BIG = 3 * 64 * 1024 + 17 };

static char pattern[BIG];

static void fill_pattern(void)
{
	uint32_t x = 1;

	for (size_t i = 0; i < sizeof(pattern); i++) {
		x = x * 1664525 + 1013904223;
		pattern[i] = (char)(x >> 24);
	}
}

static void expect_read(
	struct tc_spill *spill, struct tc_ctx *ctx, const char *want, size_t len, int64_t offset)
{
	char *got = malloc(len ? len : 1);

	assert_non_null(got);
	assert_true(tc_spill_read(spill, ctx, got, len, offset));
	assert_memory_equal(got, want, len);
	free(got);
}

static void pieces_come_back(void **state)
{
	static const size_t sizes[] = {
		0, 1, 7, 4096, 0, 64 * 1024, 1, 64 * 1024 - 1, BIG, 3, 64 * 1024 + 1, 100, 0};
	enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_spill *spill = tc_spill_new(ctx);
	int64_t offsets[COUNT], total = 0;

	(void)state;
	assert_non_null(spill);
	for (size_t i = 0; i < COUNT; i++) {
		tc_spill_append(
			spill, pattern + i, sizes[i] - (sizes[i] == BIG ? i : 0), &offsets[i]);
		assert_int_equal(offsets[i], total);
		total += (int64_t)(sizes[i] - (sizes[i] == BIG ? i : 0));
		/* At once, and everything before it. */
		for (size_t j = 0; j <= i; j++)
			expect_read(spill, ctx, pattern + j, sizes[j] - (sizes[j] == BIG ? j : 0),
				offsets[j]);
	}
	tc_spill_free(spill);
	tc_ctx_free(ctx);
}

static void reads_across_what_is_flushed_and_what_is_not(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_spill *spill = tc_spill_new(ctx);
	int64_t offset, at = 0;

	(void)state;
	assert_non_null(spill);
	while (at + 1000 < BIG) {
		tc_spill_append(spill, pattern + at, 1000, &offset);
		at += 1000;
	}
	expect_read(spill, ctx, pattern, (size_t)at, 0);
	expect_read(spill, ctx, pattern + 999, (size_t)at - 999, 999);
	tc_spill_append(spill, pattern, 5, &offset);
	assert_int_equal(offset, at);
	expect_read(spill, ctx, pattern, 5, offset);
	tc_spill_free(spill);
	tc_ctx_free(ctx);
}

static void tells_what_is_wrong_with_the_place(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_spill *spill = tc_spill_new(ctx);
	int64_t offset;
	const char *old = getenv("TMPDIR");
	char *kept = old ? strdup(old) : NULL;

	(void)state;
	assert_non_null(spill);
	setenv("TMPDIR", "/nonexistent/place", 1);
	tc_spill_append(spill, pattern, BIG, &offset);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_IO);
	assert_non_null(strstr(tc_ctx_error(ctx), "/nonexistent/place"));
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
	tc_spill_free(spill);
	tc_spill_free(NULL);
	tc_ctx_free(ctx);
}

static void survives_every_failed_allocation(void **state)
{
	enum tc_status status = TC_ERR_NOMEM;

	(void)state;
	for (int n = 0; status; n++) {
		struct tc_ctx *ctx = tc_ctx_new();
		int64_t offset;
		tc_alloc_fail_after(n);
		struct tc_spill *spill = tc_spill_new(ctx);
		if (spill)
			tc_spill_append(spill, pattern, BIG, &offset);
		tc_alloc_fail_after(-1);
		status = tc_ctx_status(ctx);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		tc_spill_free(spill);
		tc_ctx_free(ctx);
		assert_true(n < 20);
	}
}

static void a_full_disk_is_an_error(void **state)
{
	struct rlimit old, small;
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_spill *spill = tc_spill_new(ctx);
	int64_t offset;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100000;
	assert_non_null(spill);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	tc_spill_append(spill, pattern, BIG, &offset);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_IO);
	tc_spill_free(spill);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_come_back),
		cmocka_unit_test(reads_across_what_is_flushed_and_what_is_not),
		cmocka_unit_test(tells_what_is_wrong_with_the_place),
		cmocka_unit_test(survives_every_failed_allocation),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	fill_pattern();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
