/*
 * Merges the chains of several tracks with a heap; see cursor.h. A chain is opened when its first
 * slice is next and closed behind its last, so a cursor over many short-lived threads holds few of
 * them.
 */

#include "model/timeline/cursor.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/heap.h"
#include "core/sort/pack.h"
#include "core/sort/sorter.h"

enum {
	PAGE_BLOCKS = 64, /* places of blocks that go to the file together */
	GROWTH = 2,       /* of what is in memory, from one record; both counts are a power of it */
	PAGE_BYTES = PAGE_BLOCKS * (int)sizeof(struct tc_sequence_block),
	BLOCK_MAX_BYTES = TC_PACK_BOUND(TC_SEQUENCE_RECORD_MAX_BYTES, TC_SEQUENCE_BLOCK_COUNT),
};

_Static_assert((int)BLOCK_MAX_BYTES <= UINT16_MAX, "block.bytes holds the size of any block");

/* Frees what is in it; the bytes in the spill file stay. */
static void sequence_clear(struct tc_sequence *sequence)
{
	tc_free(sequence->pages);
	tc_free(sequence->blocks);
	tc_free(sequence->tail);
	*sequence = (struct tc_sequence){0};
}

static int64_t offset_of(const struct tc_sequence_block *block)
{
	return (int64_t)block->offset_high << 32 | block->offset_low;
}

/* Makes room for GROWTH times as many elements; *capacity is a power of GROWTH. */
static enum tc_status grow(struct tc_ctx *ctx, void **array, uint32_t *capacity, size_t size)
{
	uint32_t want = *capacity ? *capacity * GROWTH : 1;
	void *grown = tc_realloc(*array, want * size);

	if (!grown)
		return tc_no_memory(ctx);
	*array = grown;
	*capacity = want;
	return TC_OK;
}

static enum tc_status grow_blocks(struct tc_sequence *sequence, struct tc_ctx *ctx)
{
	void *blocks = sequence->blocks;
	enum tc_status status =
		grow(ctx, &blocks, &sequence->block_capacity, sizeof(*sequence->blocks));

	sequence->blocks = blocks;
	return status;
}

/* Puts the places of blocks into the file, as they are. */
static enum tc_status flush_blocks(
	struct tc_sequence *sequence, struct tc_ctx *ctx, struct tc_spill *spill)
{
	if (!TC_GROW(sequence->pages, sequence->page_capacity, sequence->page_count + 1))
		return tc_no_memory(ctx);
	enum tc_status status = tc_spill_append(
		spill, sequence->blocks, PAGE_BYTES, &sequence->pages[sequence->page_count]);
	if (!status) {
		sequence->page_count++;
		sequence->block_count = 0;
	}
	return status;
}

static enum tc_status flush_tail(struct tc_sequence *sequence, struct tc_ctx *ctx,
	struct tc_spill *spill, size_t record_bytes)
{
	uint8_t packed[BLOCK_MAX_BYTES];
	int64_t offset;
	enum tc_status status = TC_OK;

	if (sequence->block_count == sequence->block_capacity)
		status = sequence->block_capacity < PAGE_BLOCKS
				 ? grow_blocks(sequence, ctx)
				 : flush_blocks(sequence, ctx, spill);
	if (status)
		return status;
	size_t len = tc_pack(packed, sequence->tail, record_bytes, TC_SEQUENCE_BLOCK_COUNT);
	status = tc_spill_append(spill, packed, len, &offset);
	if (status)
		return status;
	sequence->blocks[sequence->block_count++] = (struct tc_sequence_block){
		(uint32_t)offset, (uint16_t)(offset >> 32), (uint16_t)len};
	sequence->tail_count = 0;
	return TC_OK;
}

/* Adds a record (copied). */
static enum tc_status sequence_add(struct tc_sequence *sequence, struct tc_ctx *ctx,
	struct tc_spill *spill, const void *record, size_t record_bytes)
{
	enum tc_status status = TC_OK;

	if (sequence->tail_count == sequence->tail_capacity)
		status =
			sequence->tail_capacity < TC_SEQUENCE_BLOCK_COUNT
				? grow(ctx, &sequence->tail, &sequence->tail_capacity, record_bytes)
				: flush_tail(sequence, ctx, spill, record_bytes);
	if (!status)
		memcpy((char *)sequence->tail + sequence->tail_count++ * record_bytes, record,
			record_bytes);
	return status;
}

static void sequence_reader_clear(struct tc_sequence_reader *reader)
{
	tc_free(reader->page);
	tc_free(reader->block);
}

/* Loads the places of the next page, or those that are in no page yet. */
static enum tc_status load_places(
	struct tc_sequence_reader *reader, struct tc_ctx *ctx, struct tc_spill *spill)
{
	const struct tc_sequence *sequence = reader->sequence;

	reader->next_block = 0;
	if (reader->next_page == sequence->page_count) {
		reader->next_page++;
		reader->places = sequence->blocks;
		reader->block_count = sequence->block_count;
		return TC_OK;
	}
	if (!reader->page)
		reader->page = tc_malloc(PAGE_BYTES);
	if (!reader->page)
		return tc_no_memory(ctx);
	reader->places = reader->page;
	reader->block_count = PAGE_BLOCKS;
	return tc_spill_read(spill, reader->page, PAGE_BYTES, sequence->pages[reader->next_page++]);
}

static enum tc_status load_block(struct tc_sequence_reader *reader, struct tc_ctx *ctx,
	struct tc_spill *spill, size_t record_bytes)
{
	const struct tc_sequence_block *place = &reader->places[reader->next_block++];
	uint8_t packed[BLOCK_MAX_BYTES];

	if (tc_ctx_interrupted(ctx))
		return tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (!reader->block)
		reader->block = tc_malloc(TC_SEQUENCE_BLOCK_COUNT * record_bytes);
	if (!reader->block)
		return tc_no_memory(ctx);
	reader->records = reader->block;
	reader->count = TC_SEQUENCE_BLOCK_COUNT;
	enum tc_status status = tc_spill_read(spill, packed, place->bytes, offset_of(place));
	if (!status)
		tc_unpack(reader->block, record_bytes, TC_SEQUENCE_BLOCK_COUNT, packed);
	return status;
}

/* Reads on. */
static enum tc_status sequence_read(struct tc_sequence_reader *reader, struct tc_ctx *ctx,
	struct tc_spill *spill, size_t record_bytes)
{
	const struct tc_sequence *sequence = reader->sequence;
	enum tc_status status = TC_OK;

	reader->count = 0;
	while (!status && reader->next_block == reader->block_count &&
		reader->next_page <= sequence->page_count)
		status = load_places(reader, ctx, spill);
	if (status)
		return status;
	if (reader->next_block < reader->block_count)
		return load_block(reader, ctx, spill, record_bytes);
	if (!reader->at_tail) {
		reader->at_tail = true;
		reader->records = sequence->tail;
		reader->count = sequence->tail_count;
	}
	return TC_OK;
}

enum { SORT_BYTES = 4 * 1024 * 1024 };

_Static_assert(sizeof(struct tc_span) <= TC_SEQUENCE_RECORD_MAX_BYTES, "slices fit");

void tc_chain_clear(struct tc_chain *chain)
{
	struct tc_chain *next;

	for (struct tc_chain *other = chain; other; other = next) {
		next = other->next;
		sequence_clear(&other->slices);
		if (other->links)
			sequence_clear(other->links);
		tc_free(other->links);
		if (other != chain)
			tc_free(other);
	}
	*chain = (struct tc_chain){0};
}

bool tc_chain_continues(const struct tc_chain *chain, const struct tc_span *span)
{
	const struct tc_span *last = tc_sequence_last(&chain->slices, sizeof(*last));

	return !last || tc_span_compare(last, span) <= 0;
}

enum tc_status tc_chain_add(
	struct tc_chain *chain, const struct tc_chain_file *file, const struct tc_span *span)
{
	if (chain->slices.tail_count == 0)
		chain->first_ts_ns = span->ts_ns;
	chain->unsorted |= !tc_chain_continues(chain, span);
	chain->has_unlaunched |= span->launch_slice_id == TC_NO_ID;
	return sequence_add(&chain->slices, file->ctx, file->spill, span, sizeof(*span));
}

static void chain_reader_init(struct tc_chain_reader *reader, struct tc_chain *chain)
{
	*reader = (struct tc_chain_reader){.chain = chain, .slices.sequence = &chain->slices};
	if (chain->links && chain->links->tail_count > 0)
		reader->links.sequence = chain->links;
}

static void chain_reader_clear(struct tc_chain_reader *reader)
{
	sequence_reader_clear(&reader->slices);
	sequence_reader_clear(&reader->links);
	tc_free(reader->linked);
}

static enum tc_status next_run(struct tc_chain_reader *reader, const struct tc_chain_file *file)
{
	enum tc_status status = TC_OK;

	if (reader->next_run == reader->links.count) {
		status = sequence_read(&reader->links, file->ctx, file->spill, sizeof(reader->run));
		reader->next_run = 0;
	}
	if (!status && reader->next_run < reader->links.count)
		reader->run =
			((const struct tc_link_run *)reader->links.records)[reader->next_run++];
	return status;
}

static void set_launch(struct tc_span *slice, const struct tc_link_run *run)
{
	slice->launch_slice_id = run->launch_slice_id;
	slice->launch_ts_ns = run->launch_ts_ns;
	slice->launch_end_ns = run->launch_end_ns;
	slice->launch_label = run->launch_label;
	slice->step = run->step;
	slice->method = (uint8_t)run->method;
}

/* The records at hand, to be changed. The tail belongs to the chain and other readers use it. */
static struct tc_span *writable_records(struct tc_chain_reader *reader)
{
	const size_t bytes = reader->filled * sizeof(*reader->linked);

	if (!reader->slices.at_tail)
		return reader->slices.block;
	if (!reader->linked)
		reader->linked = tc_malloc(bytes);
	if (reader->linked && bytes > 0)
		memcpy(reader->linked, reader->slices.records, bytes);
	return reader->linked;
}

/* Sets the launches that were found after the records at hand were added. */
static enum tc_status set_launches(struct tc_chain_reader *reader, const struct tc_chain_file *file)
{
	struct tc_span *records = writable_records(reader);
	enum tc_status status = TC_OK;

	if (!records && reader->filled > 0)
		return tc_no_memory(file->ctx);
	reader->head = records;
	for (size_t i = 0; i < reader->filled && !status; i++) {
		if (reader->run.count == 0)
			status = next_run(reader, file);
		reader->run.count--;
		if (!status && !reader->run.is_kept)
			set_launch(&records[i], &reader->run);
	}
	return status;
}

/* Loads the next block; filled is 0 at the end. */
static enum tc_status chain_read(struct tc_chain_reader *reader, const struct tc_chain_file *file)
{
	enum tc_status status =
		sequence_read(&reader->slices, file->ctx, file->spill, sizeof(*reader->head));

	reader->at = 0;
	reader->filled = reader->slices.count;
	reader->head = reader->slices.records;
	return status || !reader->links.sequence ? status : set_launches(reader, file);
}

/* Adds all slices of a chain to a sorter. */
static enum tc_status fill_sorter(
	struct tc_sorter *sorter, struct tc_chain *chain, const struct tc_chain_file *file)
{
	struct tc_chain_reader reader;
	enum tc_status status;

	chain_reader_init(&reader, chain);
	do {
		status = chain_read(&reader, file);
		for (size_t i = 0; i < reader.filled && !status; i++)
			status = tc_sorter_add(sorter, &reader.head[i]);
	} while (!status && reader.filled > 0);
	chain_reader_clear(&reader);
	return status;
}

enum tc_status tc_chain_sort(struct tc_chain *chain, const struct tc_chain_file *file)
{
	struct tc_sorter *sorter = NULL;
	struct tc_chain sorted = {.place = chain->place};
	const struct tc_span *span = NULL;
	enum tc_status status =
		tc_sorter_new(&sorter, file->ctx, sizeof(*span), SORT_BYTES, tc_span_compare);

	if (!status)
		status = fill_sorter(sorter, chain, file);
	if (!status)
		status = TC_SORTER_FIRST(sorter, span);
	while (!status && span)
		if (!(status = tc_chain_add(&sorted, file, span)))
			status = TC_SORTER_NEXT(sorter, span);
	if (!status) {
		sorted.next = chain->next;
		chain->next = NULL;
		tc_chain_clear(chain);
		*chain = sorted;
	} else {
		tc_chain_clear(&sorted);
	}
	tc_sorter_free(sorter);
	return status;
}

static bool has_launch_of(const struct tc_span *slice, const struct tc_link_run *run)
{
	return slice->launch_slice_id == run->launch_slice_id && slice->step == run->step &&
	       slice->method == run->method;
}

/* Called for every slice of a chain in order: the slice as it was added, and with its launch. */
static enum tc_status chain_link(struct tc_chain *chain, const struct tc_chain_file *file,
	const struct tc_span *added, const struct tc_span *linked)
{
	const struct tc_link_run found = {
		.launch_slice_id = linked->launch_slice_id,
		.launch_ts_ns = linked->launch_ts_ns,
		.launch_end_ns = linked->launch_end_ns,
		.launch_label = linked->launch_label,
		.step = linked->step,
		.method = linked->method,
		.count = 1,
	};
	const struct tc_link_run kept = {.is_kept = 1, .count = 1};
	bool is_kept = has_launch_of(added, &found);

	if (!chain->links)
		chain->links = tc_calloc(1, sizeof(*chain->links));
	if (!chain->links)
		return tc_no_memory(file->ctx);
	struct tc_link_run *last = tc_sequence_last(chain->links, sizeof(*last));

	if (last && (is_kept ? last->is_kept : !last->is_kept && has_launch_of(linked, last))) {
		last->count++;
		return TC_OK;
	}
	return sequence_add(
		chain->links, file->ctx, file->spill, is_kept ? &kept : &found, sizeof(found));
}

/* A reader with slices left, and the start of its next one, which nearly always decides. */
struct entry {
	int64_t ts_ns;
	struct tc_chain_reader *reader;
};

struct tc_cursor {
	const struct tc_chain_file *file;
	struct tc_chain **chains; /* by their first slice */
	size_t chain_count, next_chain;
	struct entry *heap; /* the chains begun and not ended yet, first slice first */
	size_t heap_count, heap_capacity;
	bool started; /* the slice of heap[0] was returned */
};

static inline bool entry_less(const struct entry *a, const struct entry *b)
{
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns;
	const struct tc_span *x = tc_chain_reader_span(a->reader);
	const struct tc_span *y = tc_chain_reader_span(b->reader);
	uint32_t x_place = a->reader->chain->place, y_place = b->reader->chain->place;
	if (x_place != y_place && x->dur_ns == y->dur_ns)
		return x_place < y_place;
	return tc_span_compare(x, y) < 0;
}

TC_HEAP(heap, struct entry, entry_less);

static void close_reader(struct tc_chain_reader *reader)
{
	chain_reader_clear(reader);
	tc_free(reader);
}

/* Adds a reader at the first slice of the chain. */
static enum tc_status open_chain(struct tc_cursor *cursor, struct tc_chain *chain)
{
	if (!TC_GROW(cursor->heap, cursor->heap_capacity, cursor->heap_count + 1))
		return tc_no_memory(cursor->file->ctx);
	struct tc_chain_reader *reader = tc_malloc(sizeof(*reader));
	if (!reader)
		return tc_no_memory(cursor->file->ctx);
	chain_reader_init(reader, chain);
	enum tc_status status = chain_read(reader, cursor->file);
	if (status || reader->filled == 0) {
		close_reader(reader);
		return status;
	}
	cursor->heap[cursor->heap_count] =
		(struct entry){tc_chain_reader_span(reader)->ts_ns, reader};
	heap_up(cursor->heap, cursor->heap_count++);
	return TC_OK;
}

/* Opens the chains that may have the next slice. */
static enum tc_status open_chains(struct tc_cursor *cursor)
{
	enum tc_status status = TC_OK;

	while (!status && cursor->next_chain < cursor->chain_count &&
		(cursor->heap_count == 0 ||
			cursor->chains[cursor->next_chain]->first_ts_ns <= cursor->heap[0].ts_ns))
		status = open_chain(cursor, cursor->chains[cursor->next_chain++]);
	return status;
}

TC_ORDER_OF_POINTERS(compare_starts, struct tc_chain, TC_UP(first_ts_ns));

static void sort_by_start(struct tc_chain **chains, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (chains[i]->first_ts_ns < chains[i - 1]->first_ts_ns) {
			TC_SORT(chains, count, compare_starts);
			return;
		}
}

enum tc_status tc_cursor_new(struct tc_cursor **out, const struct tc_chain_file *file,
	struct tc_chain **chains, size_t chain_count)
{
	struct tc_cursor *cursor = tc_calloc(1, sizeof(*cursor));

	if (!cursor) {
		tc_free(chains);
		return tc_no_memory(file->ctx);
	}
	cursor->file = file;
	cursor->chains = chains;
	cursor->chain_count = chain_count;
	sort_by_start(chains, chain_count);
	enum tc_status status = open_chains(cursor);
	if (status)
		tc_cursor_close(cursor);
	else
		*out = cursor;
	return status;
}

void tc_cursor_close(struct tc_cursor *cursor)
{
	if (!cursor)
		return;
	for (size_t i = 0; i < cursor->heap_count; i++)
		close_reader(cursor->heap[i].reader);
	tc_free(cursor->chains);
	tc_free(cursor->heap);
	tc_free(cursor);
}

/* Goes past the slice that was returned. */
static enum tc_status go_on(struct tc_cursor *cursor)
{
	struct tc_chain_reader *reader = cursor->heap[0].reader;

	if (++reader->at == reader->filled) {
		enum tc_status status = chain_read(reader, cursor->file);
		if (status)
			return status;
	}
	if (reader->filled == 0) {
		close_reader(reader);
		cursor->heap[0] = cursor->heap[--cursor->heap_count];
	} else {
		cursor->heap[0].ts_ns = tc_chain_reader_span(reader)->ts_ns;
	}
	if (cursor->heap_count > 0)
		heap_down(cursor->heap, cursor->heap_count, 0);
	return open_chains(cursor);
}

enum tc_status tc_cursor_next(struct tc_cursor *cursor, const struct tc_span **span)
{
	if (cursor->started && cursor->heap_count > 0) {
		enum tc_status status = go_on(cursor);
		if (status)
			return status;
	}
	cursor->started = true;
	*span = cursor->heap_count > 0 ? tc_chain_reader_span(cursor->heap[0].reader) : NULL;
	return TC_OK;
}

enum tc_status tc_cursor_link(struct tc_cursor *cursor, const struct tc_span *linked)
{
	const struct tc_chain_reader *reader = cursor->heap[0].reader;

	return chain_link(reader->chain, cursor->file, tc_chain_reader_span(reader), linked);
}
