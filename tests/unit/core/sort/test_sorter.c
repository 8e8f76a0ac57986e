/* The sorter against qsort: any order, any memory, read as often as one likes. */
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
#include "core/sort/sorter.h"

struct record {
	int64_t key;
	int64_t sequence; /* not compared: shows whether equal keys keep their order */
	char ballast[21]; /* and padding, which comes back as well */
};

static int by_key(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static int by_key_then_sequence(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int order = by_key(a, b);

	return order ? order : x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

enum shape { RANDOM, FEW_KEYS, ASCENDING, LATECOMERS, DESCENDING, SAW, ALL_EQUAL, SHAPE_COUNT };

static int64_t key_of(enum shape shape, size_t i, size_t count)
{
	switch (shape) {
	case RANDOM: return (int64_t)next_random();
	case FEW_KEYS: return (int64_t)(next_random() % 7);
	case ASCENDING: return (int64_t)i - 5;
	case LATECOMERS: return (int64_t)(i % 1000 == 999 ? i - next_random() % 999 : i);
	case DESCENDING: return (int64_t)(count - i);
	case SAW: return (int64_t)(i % 300);
	case ALL_EQUAL:
	case SHAPE_COUNT: break;
	}
	return 42;
}

static struct record *make_records(enum shape shape, size_t count)
{
	struct record *records = calloc(count + 1, sizeof(*records));

	assert_non_null(records);
	for (size_t i = 0; i < count; i++) {
		records[i].key = key_of(shape, i, count);
		records[i].sequence = (int64_t)i;
		memset(records[i].ballast, 'a' + (int)(i % 26), sizeof(records[i].ballast));
	}
	return records;
}

static void expect_order(struct tc_sorter *sorter, const struct record *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const void *got = i == 0 ? tc_sorter_first(sorter) : tc_sorter_next(sorter);
		assert_non_null(got);
		assert_memory_equal(got, &want[i], sizeof(want[i]));
	}
	for (int i = 0; i < 3; i++)
		assert_null(count == 0 ? tc_sorter_first(sorter) : tc_sorter_next(sorter));
}

static void check_shape(enum shape shape, size_t count, size_t memory_bytes)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_sorter *sorter = tc_sorter_new(ctx, sizeof(struct record), memory_bytes, by_key);
	struct record *records = make_records(shape, count);

	assert_non_null(sorter);
	for (size_t i = 0; i < count; i++)
		tc_sorter_add(sorter, &records[i]);
	qsort(records, count, sizeof(records[0]), by_key_then_sequence);
	for (int i = 0; i < 2; i++)
		expect_order(sorter, records, count);
	/* Also from the middle. */
	tc_sorter_first(sorter);
	for (size_t i = 1; i < count / 2; i++)
		assert_non_null(tc_sorter_next(sorter));
	expect_order(sorter, records, count);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_sorter_free(sorter);
	free(records);
	tc_ctx_free(ctx);
}

static void sorts_like_qsort_and_keeps_equals(void **state)
{
	/* 128 records are the least that is held, whatever the memory. */
	static const size_t counts[] = {
		0, 1, 2, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1024, 5000, 70001};
	static const size_t memories[] = {0, 20000, 64 * 1024 * 1024};

	(void)state;
	for (int shape = 0; shape < SHAPE_COUNT; shape++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
			for (size_t j = 0; j < sizeof(memories) / sizeof(memories[0]); j++)
				check_shape((enum shape)shape, counts[i], memories[j]);
}

static void frees_without_reading(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct record record = {0};
	struct tc_sorter *sorter = tc_sorter_new(ctx, sizeof(record), 0, by_key);

	(void)state;
	tc_sorter_free(NULL);
	assert_non_null(sorter);
	for (int i = 0; i < 1000; i++)
		tc_sorter_add(sorter, &record);
	tc_sorter_free(sorter);
	tc_ctx_free(ctx);
}

/* Sorts and reads everything; TC_OK only when every record came, in order. */
static enum tc_status sort_all(struct tc_ctx *ctx, size_t count)
{
	struct tc_sorter *sorter = tc_sorter_new(ctx, sizeof(struct record), 0, by_key);
	const struct record *got;
	int64_t seen = 0, last = -1;

	for (size_t i = 0; i < count && !tc_ctx_failed(ctx); i++) {
		struct record record = {.key = (int64_t)((i * 7919) % count)};
		for (size_t j = 0; j < sizeof(record.ballast); j++)
			record.ballast[j] = (char)next_random();
		tc_sorter_add(sorter, &record);
	}
	for (got = tc_sorter_first(sorter); got; got = tc_sorter_next(sorter)) {
		assert_true(got->key >= last);
		last = got->key;
		seen++;
	}
	if (!tc_ctx_failed(ctx))
		assert_int_equal(seen, (int64_t)count);
	tc_sorter_free(sorter);
	return tc_ctx_status(ctx);
}

static void survives_every_failed_allocation(void **state)
{
	static const size_t counts[] = {0, 100, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		enum tc_status status = TC_ERR_NOMEM;
		for (int n = 0; status; n++) {
			struct tc_ctx *ctx = tc_ctx_new();
			tc_alloc_fail_after(n);
			status = sort_all(ctx, counts[i]);
			tc_alloc_fail_after(-1);
			assert_true(status == TC_OK || status == TC_ERR_NOMEM);
			tc_ctx_free(ctx);
			assert_true(n < 200);
		}
	}
}

/* The disk is full at once, and after the first of several writes. */
static void tells_when_there_is_no_room(void **state)
{
	static const struct {
		size_t count;
		rlim_t file_bytes;
	} cases[] = {{100000, 4096}, {30000, 64 * 1024 + 100}};
	struct rlimit old, small;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_ctx *ctx = tc_ctx_new();
		small = old;
		small.rlim_cur = cases[i].file_bytes;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		enum tc_status status = sort_all(ctx, cases[i].count);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(status, TC_ERR_IO);
		assert_non_null(strstr(tc_ctx_error(ctx), "ulimit -f"));
		tc_ctx_free(ctx);
	}
}

/* NULL is an empty sorter; the first record makes it. */
static void a_sorter_is_made_with_its_first_record(void **state)
{
	static const struct tc_sorter_layout layout = {sizeof(struct record), 4096, by_key};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_sorter *sorter = NULL;
	const struct record *record;

	(void)state;
	assert_null(tc_sorter_first(sorter));
	tc_alloc_fail_after(0);
	tc_sorter_put(&sorter, ctx, &layout, &(struct record){0});
	tc_alloc_fail_after(-1);
	assert_null(sorter);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_NOMEM);
	tc_ctx_clear_error(ctx);
	for (int64_t key = 9; key >= 0; key--)
		tc_sorter_put(&sorter, ctx, &layout, &(struct record){.key = key});
	for (int i = 0; i < 2; i++) {
		int64_t next = 0;
		for (record = tc_sorter_first(sorter); record; record = tc_sorter_next(sorter))
			assert_int_equal(record->key, next++);
		assert_int_equal(next, 10);
	}
	tc_sorter_free(sorter);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_like_qsort_and_keeps_equals),
		cmocka_unit_test(frees_without_reading),
		cmocka_unit_test(survives_every_failed_allocation),
		cmocka_unit_test(tells_when_there_is_no_room),
		cmocka_unit_test(a_sorter_is_made_with_its_first_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
