/* Packed records come back byte for byte, whatever is in them, and small where they are regular. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sort/pack.h"

static uint64_t seed = 0x2545f4914f6cdd1du;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* What one column does over the records of a block. */
enum shape {
	CONSTANT,
	RANDOM,
	BYTES,
	HALVES,
	ASCENDING,
	DESCENDING,
	EXTREMES, /* next to and across the ends of signed and unsigned words */
	JUMP,     /* small but for one word */
	RUNS,
	SHAPE_COUNT
};

static uint32_t word_of(enum shape shape, uint32_t origin, uint32_t before)
{
	static const uint32_t extremes[] = {0, 1, 255, 256, 65535, 65536, INT32_MAX, 0x80000000u,
		0x80000001u, UINT32_MAX, UINT32_MAX - 1};
	uint32_t random = (uint32_t)(next_random() >> 16);

	switch (shape) {
	case RANDOM: return random;
	case BYTES: return origin + random % 256;
	case HALVES: return origin - random % 65536;
	case ASCENDING: return before + random % 1000;
	case DESCENDING: return before - 100000 - random % 9;
	case EXTREMES: return extremes[random % (sizeof(extremes) / sizeof(extremes[0]))];
	case JUMP: return random % 50 == 0 ? random : origin + random % 3;
	case RUNS: return random % 40 == 0 ? random : before;
	case CONSTANT:
	case SHAPE_COUNT: break;
	}
	return origin;
}

enum { WORDS_MAX = 24, GUARD = 0x5a };

struct block {
	size_t word_count, count;
	uint32_t words[WORDS_MAX * TC_PACK_MAX_COUNT]; /* record by record */
};

static void fill_column(struct block *block, size_t column, enum shape shape)
{
	uint32_t origin = (uint32_t)next_random(), before = origin;

	for (size_t i = 0; i < block->count; i++) {
		before = word_of(shape, origin, before);
		block->words[i * block->word_count + column] = before;
	}
}

/* Returns the packed size. */
static size_t expect_the_same_again(const struct block *block)
{
	size_t record_bytes = block->word_count * sizeof(uint32_t);
	size_t bound = TC_PACK_BOUND(record_bytes, block->count);
	uint8_t *packed = malloc(bound + 1);
	uint8_t *back = malloc(record_bytes * block->count + 1);

	assert_non_null(packed);
	assert_non_null(back);
	packed[bound] = GUARD;
	size_t len = tc_pack(packed, block->words, record_bytes, block->count);
	assert_true(len <= bound);
	assert_int_equal(packed[bound], GUARD);
	/* Only what was written is read. */
	uint8_t *exact = malloc(len + 1);
	assert_non_null(exact);
	memcpy(exact, packed, len);
	back[record_bytes * block->count] = GUARD;
	tc_unpack(back, record_bytes, block->count, exact);
	assert_memory_equal(back, block->words, record_bytes * block->count);
	assert_int_equal(back[record_bytes * block->count], GUARD);
	free(packed);
	free(exact);
	free(back);
	return len;
}

static void any_records_come_back(void **state)
{
	static const size_t counts[] = {0, 1, 2, 3, 63, 64, 255, 256};
	static struct block block;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		block.word_count = 1 + next_random() % WORDS_MAX;
		block.count = next_random() % 2 ? next_random() % (TC_PACK_MAX_COUNT + 1)
						: counts[next_random() % 8];
		for (size_t i = 0; i < block.word_count; i++)
			fill_column(&block, i, (enum shape)(next_random() % SHAPE_COUNT));
		expect_the_same_again(&block);
	}
}

/* One column alone, over both words of every pair of extremes. */
static void extreme_integers_come_back(void **state)
{
	static const int64_t values[] = {INT64_MIN, INT64_MIN + 1, INT32_MIN, -65536, -256, -1, 0,
		1, 255, 256, 65535, 65536, INT32_MAX, UINT32_MAX, INT64_C(1) << 32, INT64_MAX - 1,
		INT64_MAX};
	enum { COUNT = sizeof(values) / sizeof(values[0]) };
	static struct block block = {.word_count = 2};
	int64_t records[3];

	(void)state;
	for (size_t a = 0; a < COUNT; a++)
		for (size_t b = 0; b < COUNT; b++)
			for (size_t c = 0; c < COUNT; c++) {
				records[0] = values[a];
				records[1] = values[b];
				records[2] = values[c];
				block.count = 3;
				memcpy(block.words, records, sizeof(records));
				expect_the_same_again(&block);
			}
}

struct event {
	int64_t ts_ns, dur_ns, id, none;
	uint32_t label, unknown;
	bool flag;
};

/* Times that ascend, numbers in turn and constants: what a profiler writes on one thread. */
static void regular_records_are_small(void **state)
{
	static struct event events[TC_PACK_MAX_COUNT], back[TC_PACK_MAX_COUNT];
	static uint8_t packed[TC_PACK_BOUND(sizeof(struct event), TC_PACK_MAX_COUNT)];
	int64_t now_ns = INT64_C(1700000000123456789);

	(void)state;
	memset(events, 0, sizeof(events));
	for (int64_t i = 0; i < TC_PACK_MAX_COUNT; i++) {
		now_ns += (int64_t)(next_random() % 40000);
		events[i] = (struct event){.ts_ns = now_ns,
			.dur_ns = (int64_t)(next_random() % 60000),
			.id = 5000000000 + i,
			.none = -1,
			.label = (uint32_t)(next_random() % 200),
			.unknown = UINT32_MAX,
			.flag = true};
	}
	size_t len = tc_pack(packed, events, sizeof(events[0]), TC_PACK_MAX_COUNT);
	/* Two bytes each for the times and one for the label. */
	assert_true(len <= TC_PACK_MAX_COUNT * 5 +
				   TC_PACK_COLUMN_BYTES * sizeof(events[0]) / sizeof(uint32_t));
	tc_unpack(back, sizeof(back[0]), TC_PACK_MAX_COUNT, packed);
	assert_memory_equal(back, events, sizeof(events));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_records_come_back),
		cmocka_unit_test(extreme_integers_come_back),
		cmocka_unit_test(regular_records_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
