/*
 * External merge sort: records in any order in, sorted records out, in bounded memory.
 *
 * Records mostly arrive in order, or as a few ascending sequences that take turns (profilers write
 * each thread in time order). So a full buffer is dealt to ascending piles over an index, and these
 * are merged: sorted input costs one comparison each. Runs are spilled in packed blocks and merged
 * by a heap of readers, each with a block of its own.
 */
#include "core/sort/sorter.h"

#include <assert.h>
#include <string.h>

#include "core/alloc.h"
#include "core/collections/heap.h"
#include "core/sort/pack.h"
#include "core/sort/spill.h"

enum {
	BLOCK_RECORDS = 128,  /* packed together, and held per run while merging */
	FIRST_RECORDS = 1024, /* the buffer starts small: most sorters see little */
	PILE_MAX_COUNT = 64,  /* at once; with more of them dealing costs what it saves */
	RUN_MAX_COUNT = 4096, /* merging more at once would need more blocks than memory */
};
_Static_assert(TC_PACK_BOUND(TC_SORTER_RECORD_MAX_BYTES, BLOCK_RECORDS) <= UINT16_MAX,
	"tc_sorter.block_bytes holds the size of any block");

/* A sorted run in the spill file. All of its blocks but the last are full. */
struct run {
	int64_t offset; /* of the first block */
	size_t first_block, count;
};

struct reader {
	const struct tc_sorter *sorter;
	int64_t offset; /* of the next block */
	size_t next_block;
	size_t left_count; /* records not yet read from the file */
	char *block;       /* BLOCK_RECORDS records */
	size_t at, filled;
};

struct entry {
	struct reader *reader;
};

struct tc_sorter {
	struct tc_ctx *ctx;
	tc_compare_fn compare;
	size_t record_bytes;
	size_t buffer_capacity, buffer_limit; /* records; grows up to the limit */
	char *buffer;
	size_t buffer_count;
	uint32_t *order; /* sorted positions of buffer, after sort_buffer() */
	uint32_t *other; /* merge space */
	size_t order_capacity;
	struct tc_spill *spill;
	char *block;           /* BLOCK_RECORDS records to be packed; the latest ones stay in it */
	const char *run_last;  /* in block: the last record of the latest run, NULL without runs */
	uint8_t *packed;       /* and what becomes of them */
	uint16_t *block_bytes; /* of each block in the file */
	size_t block_count, block_capacity;
	struct run *runs;
	size_t run_count, run_capacity;
	struct reader *readers; /* of runs[] */
	struct entry *heap;     /* those with records left, smallest record first */
	size_t heap_count;
	bool sorted;      /* the buffer is sorted, adding has ended */
	size_t buffer_at; /* reading position when nothing was spilled */
	bool lent;        /* the head of the heap was given out and is still to be passed */
};

struct tc_sorter *tc_sorter_new(
	struct tc_ctx *ctx, size_t record_bytes, size_t memory_bytes, tc_compare_fn compare)
{
	struct tc_sorter *sorter = tc_new(ctx, 1, sizeof(*sorter));

	assert(record_bytes <= TC_SORTER_RECORD_MAX_BYTES);
	if (!sorter)
		return NULL;
	sorter->ctx = ctx;
	sorter->compare = compare;
	sorter->record_bytes = record_bytes;
	sorter->buffer_limit = memory_bytes / (record_bytes + 2 * sizeof(uint32_t));
	sorter->buffer_limit -= sorter->buffer_limit % BLOCK_RECORDS;
	if (sorter->buffer_limit < BLOCK_RECORDS)
		sorter->buffer_limit = BLOCK_RECORDS;
	sorter->block = tc_malloc(BLOCK_RECORDS * record_bytes);
	sorter->packed = tc_malloc(TC_PACK_BOUND(record_bytes, BLOCK_RECORDS));
	if (sorter->block && sorter->packed)
		return sorter;
	tc_no_memory(ctx);
	tc_sorter_free(sorter);
	return NULL;
}

static void free_readers(struct tc_sorter *sorter)
{
	for (size_t i = 0; i < sorter->run_count && sorter->readers; i++)
		tc_free(sorter->readers[i].block);
	tc_free(sorter->readers);
	tc_free(sorter->heap);
	sorter->readers = NULL;
	sorter->heap = NULL;
}

static void free_order(struct tc_sorter *sorter)
{
	tc_free(sorter->order);
	tc_free(sorter->other);
	sorter->order = sorter->other = NULL;
	sorter->order_capacity = 0;
}

void tc_sorter_free(struct tc_sorter *sorter)
{
	if (!sorter)
		return;
	free_readers(sorter);
	free_order(sorter);
	tc_free(sorter->runs);
	tc_free(sorter->block_bytes);
	tc_free(sorter->block);
	tc_free(sorter->packed);
	tc_free(sorter->buffer);
	tc_spill_free(sorter->spill);
	tc_free(sorter);
}

static const char *record_at(const struct tc_sorter *sorter, size_t i)
{
	return sorter->buffer + i * sorter->record_bytes;
}

static bool in_order(const struct tc_sorter *sorter, uint32_t a, uint32_t b)
{
	return sorter->compare(record_at(sorter, a), record_at(sorter, b)) <= 0;
}

/* Ascending piles of the records from one of the buffer on: *next of each is the one on top of
 * it. */
struct piles {
	uint32_t *next;
	uint32_t first[PILE_MAX_COUNT], last[PILE_MAX_COUNT]; /* of a pile; the lasts descend */
	size_t count;
};

/* The first pile that a record can go on; count: none. */
static size_t pile_for(const struct tc_sorter *sorter, const struct piles *piles, uint32_t record)
{
	size_t low = 0, high = piles->count;

	if (high > 0 && in_order(sorter, piles->last[0], record))
		return 0;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (in_order(sorter, piles->last[middle], record))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Puts the piles one after the other, and returns the end of the last. */
static uint32_t *gather(uint32_t *to, const struct piles *piles)
{
	for (size_t i = 0; i < piles->count; i++) {
		uint32_t at = piles->first[i];
		for (*to++ = at; at != piles->last[i]; *to++ = at)
			at = piles->next[at];
	}
	return to;
}

/* Fills order[] with ascending runs, and returns how many they are at most. */
static size_t deal(struct tc_sorter *sorter)
{
	struct piles piles = {.next = sorter->other};
	uint32_t *order = sorter->order;
	size_t runs = 0;

	for (uint32_t i = 0; i < sorter->buffer_count; i++) {
		size_t pile = pile_for(sorter, &piles, i);
		if (pile == PILE_MAX_COUNT) {
			order = gather(order, &piles);
			runs += piles.count;
			pile = piles.count = 0;
		}
		if (pile == piles.count)
			piles.first[piles.count++] = i;
		else
			piles.next[piles.last[pile]] = i;
		piles.last[pile] = i;
	}
	gather(order, &piles);
	return runs + piles.count;
}

/* The end of the ascending run of order[] that starts at from. */
static size_t run_end(const struct tc_sorter *sorter, const uint32_t *order, size_t from)
{
	size_t i = from + 1;

	while (i < sorter->buffer_count && in_order(sorter, order[i - 1], order[i]))
		i++;
	return i;
}

static void merge(const struct tc_sorter *sorter, const uint32_t *from, uint32_t *to, size_t left,
	size_t middle, size_t right)
{
	size_t a = left, b = middle, out = left;

	while (a < middle && b < right)
		to[out++] = in_order(sorter, from[a], from[b]) ? from[a++] : from[b++];
	memcpy(to + out, from + a, (middle - a) * sizeof(*to));
	out += middle - a;
	memcpy(to + out, from + b, (right - b) * sizeof(*to));
}

/* One pass over the ascending runs of order[], merging them in pairs; returns how many are left. */
static size_t merge_pass(struct tc_sorter *sorter)
{
	size_t runs = 0, left = 0;

	while (left < sorter->buffer_count) {
		size_t middle = run_end(sorter, sorter->order, left);
		size_t right = middle < sorter->buffer_count
				       ? run_end(sorter, sorter->order, middle)
				       : middle;
		merge(sorter, sorter->order, sorter->other, left, middle, right);
		left = right;
		runs++;
	}
	uint32_t *swap = sorter->order;
	sorter->order = sorter->other;
	sorter->other = swap;
	return runs;
}

/* Fills order[] with the positions of the buffer's records, sorted. */
static void sort_buffer(struct tc_sorter *sorter)
{
	if (sorter->order_capacity < sorter->buffer_count) {
		free_order(sorter);
		sorter->order = tc_malloc(sorter->buffer_count * sizeof(uint32_t));
		sorter->other = tc_malloc(sorter->buffer_count * sizeof(uint32_t));
		if (!sorter->order || !sorter->other) {
			free_order(sorter);
			tc_no_memory(sorter->ctx);
			return;
		}
		sorter->order_capacity = sorter->buffer_count;
	}
	if (deal(sorter) < 2)
		return;
	while (merge_pass(sorter) > 1)
		;
}

/* The run for the records in the buffer: the latest one if they continue it, which is the usual
 * case where records come nearly in order. Every spilled buffer but the last has only full blocks.
 */
static void begin_run(struct tc_sorter *sorter)
{
	if (sorter->run_last &&
		sorter->compare(sorter->run_last, record_at(sorter, sorter->order[0])) <= 0) {
		sorter->runs[sorter->run_count - 1].count += sorter->buffer_count;
		return;
	}
	if (sorter->run_count >= RUN_MAX_COUNT)
		tc_fail(sorter->ctx, TC_ERR_LIMIT, "too many events to sort");
	else
		TC_PUSH(sorter->ctx, sorter->runs, sorter->run_count, sorter->run_capacity,
			(struct run){
				.first_block = sorter->block_count, .count = sorter->buffer_count});
}

/* Adds a block of the records at the sorted positions order[0 .. count) to the latest run. */
static void spill_block(struct tc_sorter *sorter, const uint32_t *order, size_t count)
{
	struct run *run = &sorter->runs[sorter->run_count - 1];
	bool is_first = sorter->block_count == run->first_block;
	int64_t offset;

	for (size_t i = 0; i < count; i++)
		memcpy(sorter->block + i * sorter->record_bytes, record_at(sorter, order[i]),
			sorter->record_bytes);
	sorter->run_last = sorter->block + (count - 1) * sorter->record_bytes;
	size_t len = tc_pack(sorter->packed, sorter->block, sorter->record_bytes, count);
	if (!TC_PUSH(sorter->ctx, sorter->block_bytes, sorter->block_count, sorter->block_capacity,
		    (uint16_t)len))
		return;
	tc_spill_append(sorter->spill, sorter->packed, len, &offset);
	if (is_first)
		run->offset = offset;
}

static void spill_buffer(struct tc_sorter *sorter)
{
	sort_buffer(sorter);
	if (!sorter->spill && !tc_ctx_failed(sorter->ctx))
		sorter->spill = tc_spill_new(sorter->ctx);
	if (!tc_ctx_failed(sorter->ctx))
		begin_run(sorter);
	for (size_t i = 0; i < sorter->buffer_count && !tc_ctx_failed(sorter->ctx);
		i += BLOCK_RECORDS) {
		size_t left = sorter->buffer_count - i;
		spill_block(sorter, sorter->order + i, left < BLOCK_RECORDS ? left : BLOCK_RECORDS);
	}
	free_order(sorter); /* until the buffer is full again */
	sorter->buffer_count = 0;
}

static void grow_buffer(struct tc_sorter *sorter)
{
	size_t want = sorter->buffer_capacity ? sorter->buffer_capacity * 2 : FIRST_RECORDS;

	if (want > sorter->buffer_limit)
		want = sorter->buffer_limit;
	char *grown = tc_realloc(sorter->buffer, want * sorter->record_bytes);
	if (!grown) {
		tc_no_memory(sorter->ctx);
		return;
	}
	sorter->buffer = grown;
	sorter->buffer_capacity = want;
}

void tc_sorter_add(struct tc_sorter *sorter, const void *record)
{
	if (sorter->buffer_count == sorter->buffer_capacity) {
		if (sorter->buffer_capacity < sorter->buffer_limit)
			grow_buffer(sorter);
		else
			spill_buffer(sorter);
		if (tc_ctx_failed(sorter->ctx))
			return;
	}
	memcpy(sorter->buffer + sorter->buffer_count * sorter->record_bytes, record,
		sorter->record_bytes);
	sorter->buffer_count++;
}

static void fill_block(struct tc_sorter *sorter, struct reader *reader)
{
	if (tc_ctx_interrupted(sorter->ctx))
		tc_fail(sorter->ctx, TC_ERR_INTERRUPTED, "interrupted");
	reader->at = 0;
	reader->filled = reader->left_count < BLOCK_RECORDS ? reader->left_count : BLOCK_RECORDS;
	if (reader->filled == 0 || tc_ctx_failed(sorter->ctx))
		return;
	size_t len = sorter->block_bytes[reader->next_block++];
	if (tc_spill_read(sorter->spill, sorter->ctx, sorter->packed, len, reader->offset))
		tc_unpack(reader->block, sorter->record_bytes, reader->filled, sorter->packed);
	reader->left_count -= reader->filled;
	reader->offset += (int64_t)len;
}

static const char *head_of(const struct reader *reader)
{
	return reader->block + reader->at * reader->sorter->record_bytes;
}

/* Runs are compared by their next record, equal ones by age, so that the sort is stable. */
static inline bool entry_less(const struct entry *a, const struct entry *b)
{
	int order = a->reader->sorter->compare(head_of(a->reader), head_of(b->reader));

	return order < 0 || (order == 0 && a->reader < b->reader);
}

TC_HEAP(heap, struct entry, entry_less);

static void open_reader(struct tc_sorter *sorter, size_t at)
{
	const struct run *run = &sorter->runs[at];
	struct reader *reader = &sorter->readers[at];

	*reader = (struct reader){.sorter = sorter,
		.offset = run->offset,
		.next_block = run->first_block,
		.left_count = run->count,
		.block = tc_malloc(BLOCK_RECORDS * sorter->record_bytes)};
	if (reader->block)
		fill_block(sorter, reader);
	else
		tc_no_memory(sorter->ctx);
	sorter->heap[at].reader = reader;
	if (!tc_ctx_failed(sorter->ctx))
		heap_up(sorter->heap, sorter->heap_count++);
}

static void open_runs(struct tc_sorter *sorter)
{
	free_readers(sorter);
	sorter->heap_count = 0;
	sorter->readers = tc_new(sorter->ctx, sorter->run_count, sizeof(*sorter->readers));
	sorter->heap = tc_new(sorter->ctx, sorter->run_count, sizeof(*sorter->heap));
	for (size_t i = 0; i < sorter->run_count && !tc_ctx_failed(sorter->ctx); i++)
		open_reader(sorter, i);
}

/* Nothing is added any more. */
static void end_adding(struct tc_sorter *sorter)
{
	sorter->sorted = true;
	if (sorter->run_count == 0) {
		sort_buffer(sorter);
		return;
	}
	spill_buffer(sorter);
	/* The buffer is not needed any more; the blocks of the runs are. */
	tc_free(sorter->buffer);
	sorter->buffer = NULL;
	sorter->buffer_capacity = 0;
}

/* Moves past the record given last; its memory was borrowed until now. */
static void pass_lent(struct tc_sorter *sorter)
{
	struct reader *reader = sorter->heap[0].reader;

	reader->at++;
	if (reader->at == reader->filled)
		fill_block(sorter, reader);
	if (reader->filled == 0)
		sorter->heap[0] = sorter->heap[--sorter->heap_count];
	heap_down(sorter->heap, sorter->heap_count, 0);
}

const void *tc_sorter_next(struct tc_sorter *sorter)
{
	if (!sorter || tc_ctx_failed(sorter->ctx))
		return NULL;
	if (sorter->run_count == 0) {
		bool end = !sorter->order || sorter->buffer_at == sorter->buffer_count;
		return end ? NULL : record_at(sorter, sorter->order[sorter->buffer_at++]);
	}
	if (sorter->lent && sorter->heap_count > 0)
		pass_lent(sorter);
	sorter->lent = true;
	if (sorter->heap_count == 0 || tc_ctx_failed(sorter->ctx))
		return NULL;
	return head_of(sorter->heap[0].reader);
}

const void *tc_sorter_first(struct tc_sorter *sorter)
{
	if (!sorter)
		return NULL;
	if (!sorter->sorted)
		end_adding(sorter);
	sorter->buffer_at = 0;
	sorter->lent = false;
	if (sorter->run_count > 0 && !tc_ctx_failed(sorter->ctx))
		open_runs(sorter);
	return tc_sorter_next(sorter);
}

void tc_sorter_put(struct tc_sorter **sorter, struct tc_ctx *ctx,
	const struct tc_sorter_layout *layout, const void *record)
{
	if (!*sorter)
		*sorter = tc_sorter_new(
			ctx, layout->record_bytes, layout->memory_bytes, layout->compare);
	if (*sorter)
		tc_sorter_add(*sorter, record);
}
