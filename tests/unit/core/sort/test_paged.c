/* Paged rows: whatever is read and written in any order is what an array would hold. */
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
#include "core/sort/paged.h"

struct row {
	uint64_t number, sum;
	char rest[56];
};

static const struct row first = {.sum = 7, .rest = "as it begins"};

enum { MANY = 200000, FEW = 1000 };

static uint32_t next(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

/* Mostly near the last one, sometimes anywhere. */
static size_t go(size_t at, size_t count, uint32_t *x)
{
	return next(x) % 8 ? (at + next(x) % 5) % count : next(x) % count;
}

static void add(struct tc_paged *paged, uint64_t *sums, size_t at, uint64_t value)
{
	struct row *row = TC_PAGED_AT(paged, struct row, at);

	assert_int_equal(row->sum, sums[at]);
	assert_string_equal(row->rest, first.rest);
	row->number = at;
	row->sum += value;
	sums[at] += value;
}

static void check_as_array(size_t count)
{
	struct tc_ctx *ctx = tc_ctx_new();
	uint64_t *sums = malloc(count * sizeof(*sums));
	struct tc_paged paged;
	uint32_t x = 1;
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		sums[i] = first.sum;
	tc_paged_init(&paged, ctx, count, sizeof(first), &first);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	for (size_t i = 0; i < 2 * count; i++) {
		at = go(at, count, &x);
		add(&paged, sums, at, next(&x));
	}
	for (size_t i = 0; i < count; i++)
		add(&paged, sums, i, 1);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_paged_clear(&paged);
	free(sums);
	tc_ctx_free(ctx);
}

static void is_an_array(void **state)
{
	(void)state;
	check_as_array(1);
	check_as_array(FEW);
	check_as_array(TC_PAGED_FLAT_BYTES / sizeof(struct row));
	check_as_array(TC_PAGED_FLAT_BYTES / sizeof(struct row) + 1);
	check_as_array(MANY);
}

static void rows_begin_with_zeros(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_paged paged;

	(void)state;
	for (size_t count = 10; count <= 10000000; count *= 1000000) {
		tc_paged_init(&paged, ctx, count, sizeof(uint64_t), NULL);
		assert_int_equal(tc_ctx_status(ctx), TC_OK);
		assert_int_equal(*TC_PAGED_AT(&paged, uint64_t, count - 1), 0);
		tc_paged_clear(&paged);
	}
	tc_paged_clear(&paged);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_ctx_free(ctx);
}

/* As many rows as are promised stay where they are. */
static void rows_stay_while_others_are_asked_for(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_paged paged;

	(void)state;
	tc_paged_init(&paged, ctx, MANY, sizeof(first), &first);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	for (size_t i = 0; i < MANY; i++)
		TC_PAGED_AT(&paged, struct row, i)->number = i;
	struct row *row = TC_PAGED_AT(&paged, struct row, 5);
	for (size_t i = 1; i <= TC_PAGED_STAY; i++)
		TC_PAGED_AT(&paged, struct row, i * MANY / (TC_PAGED_STAY + 1))->sum++;
	assert_int_equal(row->number, 5);
	row->sum = 99;
	assert_ptr_equal(TC_PAGED_AT(&paged, struct row, 5), row);
	tc_paged_clear(&paged);
	tc_ctx_free(ctx);
}

static void a_full_disk_is_an_error(void **state)
{
	struct rlimit old, small;
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_paged paged;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 100 * 1000;
	tc_paged_init(&paged, ctx, MANY, sizeof(first), &first);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	setrlimit(RLIMIT_FSIZE, &small);
	for (size_t i = 0; i < MANY; i++)
		TC_PAGED_AT(&paged, struct row, i)->sum++;
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_IO);
	/* Rows that count for nothing. */
	assert_int_equal(TC_PAGED_AT(&paged, struct row, 3)->sum, first.sum);
	tc_paged_clear(&paged);
	tc_ctx_free(ctx);
}

static void survives_every_failed_allocation(void **state)
{
	enum tc_status status = TC_ERR_NOMEM;

	(void)state;
	for (int n = 0; status; n++) {
		struct tc_ctx *ctx = tc_ctx_new();
		struct tc_paged paged;
		tc_alloc_fail_after(n);
		tc_paged_init(&paged, ctx, MANY, sizeof(first), &first);
		status = tc_ctx_status(ctx);
		for (size_t i = 0; i < MANY && !status; i += 40) {
			TC_PAGED_AT(&paged, struct row, i)->sum++;
			status = tc_ctx_status(ctx);
		}
		tc_alloc_fail_after(-1);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		tc_paged_clear(&paged);
		tc_ctx_free(ctx);
		assert_true(n < TC_PAGED_PAGES + 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_an_array),
		cmocka_unit_test(rows_begin_with_zeros),
		cmocka_unit_test(rows_stay_while_others_are_asked_for),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(survives_every_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
