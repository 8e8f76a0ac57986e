/* Slices by track in a spill file, and merge cursors over them; see spans.h. */
#include "model/spans.h"

#include "core/alloc.h"
#include "core/pack.h"
#include "core/sorter.h"
#include "core/spill.h"

enum {
	BLOCK_RECORDS = 64, /* 4.6 KB: packed together, and what a cursor holds per long track */
	PAGE_BLOCKS = 64,   /* places of blocks that go to the file together */
	GROWTH = 4, /* of what is in memory, from one record: short tracks (one-shot threads) stay
		       small; both numbers above are a power of it */
	CHAIN_MAX_COUNT = 4, /* of a track; where more would be needed the last one is sorted */
	SORT_BYTES = 4 * 1024 * 1024,
};

/* Where BLOCK_RECORDS packed slices are in the file. */
struct block {
	uint32_t offset_low;
	uint16_t offset_high, bytes;
};

enum { BLOCK_MAX_BYTES = TC_PACK_BOUND(sizeof(struct tc_span), BLOCK_RECORDS) };
_Static_assert((int)BLOCK_MAX_BYTES <= UINT16_MAX, "block.bytes holds the size of any block");

/*
 * Slices in time order. A track has more than one chain where several sequences were written one
 * after the other (framework operations, then the runtime calls of the same thread): each goes on
 * in a chain of its own, and cursors merge them.
 */
struct chain {
	int64_t *
		pages; /* where PAGE_BLOCKS places each are in the file: 8 bytes for 4,096 slices */
	size_t page_count, page_capacity;
	struct block *blocks; /* the places not yet in the file */
	uint32_t block_count, block_capacity;
	struct tc_span *tail; /* the slices not yet in the file */
	uint32_t tail_count, tail_capacity;
	bool unsorted;
	bool has_unlaunched;
	bool has_extent; /* of the first chain of a track: that of all its slices */
	int64_t first_ns, last_ns;
	struct chain *next; /* of the same track, NULL for the last */
};

struct tc_spans {
	struct tc_ctx *ctx;
	struct tc_spill *spill;
	struct chain *chains; /* by track */
	size_t chain_count, chain_capacity;
};

enum tc_status tc_spans_new(struct tc_spans **out, struct tc_ctx *ctx)
{
	struct tc_spans *spans = tc_calloc(1, sizeof(*spans));

	if (!spans)
		return tc_fail(ctx, TC_ERR_NOMEM, "no memory for a timeline");
	spans->ctx = ctx;
	enum tc_status status = tc_spill_new(&spans->spill, ctx);
	if (status)
		tc_free(spans);
	else
		*out = spans;
	return status;
}

/* Frees what is in a chain and the chains after it. */
static void clear_chain(struct chain *chain)
{
	struct chain *next;

	for (struct chain *other = chain; other; other = next) {
		next = other->next;
		tc_free(other->pages);
		tc_free(other->blocks);
		tc_free(other->tail);
		if (other != chain)
			tc_free(other);
	}
	*chain = (struct chain){0};
}

void tc_spans_free(struct tc_spans *spans)
{
	if (!spans)
		return;
	for (size_t i = 0; i < spans->chain_count; i++)
		clear_chain(&spans->chains[i]);
	tc_free(spans->chains);
	tc_spill_free(spans->spill);
	tc_free(spans);
}

/* An open slice ends after everything. */
static int64_t end_of(const struct tc_span *span)
{
	return span->dur_ns < 0 ? INT64_MAX : span->ts_ns + span->dur_ns;
}

int tc_span_compare(const void *a, const void *b)
{
	const struct tc_span *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	int64_t x_end = end_of(x), y_end = end_of(y);
	if (x_end != y_end)
		return x_end > y_end ? -1 : 1;
	return x->slice_id < y->slice_id ? -1 : x->slice_id > y->slice_id;
}

static int64_t offset_of(const struct block *block)
{
	return (int64_t)block->offset_high << 32 | block->offset_low;
}

/* Makes room for GROWTH times as many elements; *capacity is a power of GROWTH. */
static enum tc_status grow(struct tc_spans *spans, void **array, uint32_t *capacity, size_t size)
{
	uint32_t want = *capacity ? *capacity * GROWTH : 1;
	void *grown = tc_realloc(*array, want * size);

	if (!grown)
		return tc_fail(spans->ctx, TC_ERR_NOMEM, "no memory for a timeline");
	*array = grown;
	*capacity = want;
	return TC_OK;
}

static enum tc_status grow_blocks(struct tc_spans *spans, struct chain *chain)
{
	void *blocks = chain->blocks;
	enum tc_status status =
		grow(spans, &blocks, &chain->block_capacity, sizeof(*chain->blocks));

	chain->blocks = blocks;
	return status;
}

/* Puts the places of blocks into the file, as they are. */
static enum tc_status flush_blocks(struct tc_spans *spans, struct chain *chain)
{
	void *pages = chain->pages;

	if (tc_reserve(&pages, &chain->page_capacity, chain->page_count + 1, sizeof(*chain->pages)))
		return tc_fail(spans->ctx, TC_ERR_NOMEM, "no memory for a timeline");
	chain->pages = pages;
	enum tc_status status = tc_spill_append(spans->spill, chain->blocks,
		PAGE_BLOCKS * sizeof(*chain->blocks), &chain->pages[chain->page_count]);
	if (!status) {
		chain->page_count++;
		chain->block_count = 0;
	}
	return status;
}

static enum tc_status flush_tail(struct tc_spans *spans, struct chain *chain)
{
	uint8_t packed[BLOCK_MAX_BYTES];
	int64_t offset;
	enum tc_status status = TC_OK;

	if (chain->block_count == chain->block_capacity)
		status = chain->block_capacity < PAGE_BLOCKS ? grow_blocks(spans, chain)
							     : flush_blocks(spans, chain);
	if (status)
		return status;
	size_t len = tc_pack(packed, chain->tail, sizeof(*chain->tail), BLOCK_RECORDS);
	status = tc_spill_append(spans->spill, packed, len, &offset);
	if (status)
		return status;
	chain->blocks[chain->block_count++] =
		(struct block){(uint32_t)offset, (uint16_t)(offset >> 32), (uint16_t)len};
	chain->tail_count = 0;
	return TC_OK;
}

static enum tc_status grow_tail(struct tc_spans *spans, struct chain *chain)
{
	void *tail = chain->tail;
	enum tc_status status = grow(spans, &tail, &chain->tail_capacity, sizeof(*chain->tail));

	chain->tail = tail;
	return status;
}

/* True when span can follow what is in the chain. A tail is only empty before the first slice. */
static bool goes_on(const struct chain *chain, const struct tc_span *span)
{
	return chain->tail_count == 0 ||
	       tc_span_compare(&chain->tail[chain->tail_count - 1], span) <= 0;
}

static enum tc_status add_to_chain(
	struct tc_spans *spans, struct chain *chain, const struct tc_span *span)
{
	enum tc_status status = TC_OK;

	chain->unsorted |= !goes_on(chain, span);
	chain->has_unlaunched |= span->launch_slice_id == TC_NO_ID;
	if (chain->tail_count == chain->tail_capacity)
		status = chain->tail_capacity < BLOCK_RECORDS ? grow_tail(spans, chain)
							      : flush_tail(spans, chain);
	if (!status)
		chain->tail[chain->tail_count++] = *span;
	return status;
}

/* The first chain of a track that span can follow, a new one, or the last. */
static struct chain *chain_for(struct chain *chain, const struct tc_span *span)
{
	for (int count = 1; !goes_on(chain, span); count++, chain = chain->next) {
		if (!chain->next && count < CHAIN_MAX_COUNT)
			chain->next = tc_calloc(1, sizeof(*chain));
		if (!chain->next)
			return chain; /* also without memory: sorting will do */
	}
	return chain;
}

static void widen(struct chain *chain, const struct tc_span *span)
{
	int64_t end_ns = end_of(span);

	if (!chain->has_extent || span->ts_ns < chain->first_ns)
		chain->first_ns = span->ts_ns;
	if (!chain->has_extent || end_ns > chain->last_ns)
		chain->last_ns = end_ns;
	chain->has_extent = true;
}

enum tc_status tc_spans_add(struct tc_spans *spans, const struct tc_span *span)
{
	void *chains = spans->chains;
	size_t old = spans->chain_capacity;

	if (span->track >= spans->chain_count) {
		if (tc_reserve(&chains, &spans->chain_capacity, span->track + 1,
			    sizeof(*spans->chains)))
			return tc_fail(spans->ctx, TC_ERR_NOMEM, "no memory for a timeline");
		spans->chains = chains;
		for (size_t i = old; i < spans->chain_capacity; i++)
			spans->chains[i] = (struct chain){0};
		spans->chain_count = span->track + 1;
	}
	if (span->dur_ns >= 0)
		widen(&spans->chains[span->track], span);
	return add_to_chain(spans, chain_for(&spans->chains[span->track], span), span);
}

void tc_spans_extent(
	const struct tc_spans *spans, uint32_t track, int64_t *first_ns, int64_t *last_ns)
{
	bool has_extent = track < spans->chain_count && spans->chains[track].has_extent;

	*first_ns = has_extent ? spans->chains[track].first_ns : INT64_MAX;
	*last_ns = has_extent ? spans->chains[track].last_ns : INT64_MIN;
}

bool tc_spans_has_unlaunched(const struct tc_spans *spans, uint32_t track)
{
	const struct chain *chain = track < spans->chain_count ? &spans->chains[track] : NULL;

	while (chain && !chain->has_unlaunched)
		chain = chain->next;
	return chain != NULL;
}

/* Reads the slices of a chain in the order they were added. */
struct reader {
	const struct chain *chain;
	size_t next_page;
	size_t next_block, block_count; /* of places */
	const struct block *places;     /* those of a page, or the chain's blocks themselves */
	struct block *page;             /* NULL until a page must come from the file */
	bool at_tail;
	size_t at, filled;
	const struct tc_span *head; /* filled records: the block, or the chain's tail itself */
	struct tc_span *block;      /* NULL until something must come from the file */
};

static void clear_reader(struct reader *reader)
{
	tc_free(reader->page);
	tc_free(reader->block);
}

/* Loads the places of the next page, or those that are in no page yet. */
static enum tc_status load_places(struct tc_spans *spans, struct reader *reader)
{
	const struct chain *chain = reader->chain;
	const size_t page_bytes = PAGE_BLOCKS * sizeof(*reader->page);

	reader->next_block = 0;
	if (reader->next_page == chain->page_count) {
		reader->next_page++;
		reader->places = chain->blocks;
		reader->block_count = chain->block_count;
		return TC_OK;
	}
	if (!reader->page)
		reader->page = tc_malloc(page_bytes);
	if (!reader->page)
		return tc_fail(spans->ctx, TC_ERR_NOMEM, "no memory to read a timeline");
	reader->places = reader->page;
	reader->block_count = PAGE_BLOCKS;
	return tc_spill_read(
		spans->spill, reader->page, page_bytes, chain->pages[reader->next_page++]);
}

static enum tc_status load_block(
	struct tc_spans *spans, struct reader *reader, const struct block *block)
{
	if (tc_ctx_interrupted(spans->ctx))
		return tc_fail(spans->ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (!reader->block)
		reader->block = tc_malloc(BLOCK_RECORDS * sizeof(*reader->block));
	if (!reader->block)
		return tc_fail(spans->ctx, TC_ERR_NOMEM, "no memory to read a timeline");
	uint8_t packed[BLOCK_MAX_BYTES];
	reader->filled = BLOCK_RECORDS;
	reader->head = reader->block;
	enum tc_status status = tc_spill_read(spans->spill, packed, block->bytes, offset_of(block));
	if (!status)
		tc_unpack(reader->block, sizeof(*reader->block), BLOCK_RECORDS, packed);
	return status;
}

/* Loads the next block, or the tail; filled is 0 at the end. */
static enum tc_status fill_reader(struct tc_spans *spans, struct reader *reader)
{
	const struct chain *chain = reader->chain;
	enum tc_status status = TC_OK;

	reader->at = 0;
	reader->filled = 0;
	while (!status && reader->next_block == reader->block_count &&
		reader->next_page <= chain->page_count)
		status = load_places(spans, reader);
	if (status)
		return status;
	if (reader->next_block < reader->block_count)
		return load_block(spans, reader, &reader->places[reader->next_block++]);
	if (!reader->at_tail) {
		reader->filled = chain->tail_count;
		reader->head = chain->tail;
		reader->at_tail = true;
	}
	return TC_OK;
}

static enum tc_status sort_chain(struct tc_spans *spans, struct chain *chain)
{
	struct tc_sorter *sorter = NULL;
	struct reader reader = {.chain = chain};
	struct chain sorted = {0};
	const void *record = NULL;
	enum tc_status status = tc_sorter_new(
		&sorter, spans->ctx, sizeof(struct tc_span), SORT_BYTES, tc_span_compare);

	do {
		if (!status)
			status = fill_reader(spans, &reader);
		for (size_t i = 0; i < reader.filled && !status; i++)
			status = tc_sorter_add(sorter, &reader.head[i]);
	} while (!status && reader.filled > 0);
	if (!status)
		status = tc_sorter_rewind(sorter);
	while (!status && !(status = tc_sorter_next(sorter, &record)) && record)
		status = add_to_chain(spans, &sorted, record);
	if (!status) {
		sorted.next = chain->next;
		chain->next = NULL;
		clear_chain(chain);
		*chain = sorted;
	} else {
		clear_chain(&sorted);
	}
	tc_sorter_free(sorter);
	clear_reader(&reader);
	return status;
}

enum tc_status tc_spans_sort(struct tc_spans *spans)
{
	enum tc_status status = TC_OK;

	for (uint32_t i = 0; i < spans->chain_count; i++)
		for (struct chain *chain = &spans->chains[i]; chain && !status; chain = chain->next)
			if (chain->unsorted)
				status = sort_chain(spans, chain);
	return status ? status : tc_spill_flush(spans->spill);
}

/* A reader with something left, and the start of its head, which decides nearly always. */
struct entry {
	int64_t ts_ns;
	struct reader *reader;
};

struct tc_cursor {
	struct tc_spans *spans;
	struct reader *readers;
	size_t reader_count;
	struct entry *heap; /* smallest head first */
	size_t heap_count;
	bool started; /* heap[0] gave its head and must move on */
};

static const struct tc_span *head_of(const struct reader *reader)
{
	return &reader->head[reader->at];
}

static inline bool entry_less(const struct entry *a, const struct entry *b)
{
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns;
	return tc_span_compare(head_of(a->reader), head_of(b->reader)) < 0;
}

static void sift_down(struct tc_cursor *cursor, size_t at)
{
	struct entry *heap = cursor->heap;
	const struct entry moved = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < cursor->heap_count) {
		if (child + 1 < cursor->heap_count && entry_less(&heap[child + 1], &heap[child]))
			child++;
		if (!entry_less(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static size_t count_chains(const struct tc_spans *spans, const uint32_t *tracks, size_t track_count)
{
	size_t count = 0;

	for (size_t i = 0; i < track_count; i++)
		if (tracks[i] < spans->chain_count)
			for (const struct chain *c = &spans->chains[tracks[i]]; c; c = c->next)
				count++;
	return count;
}

/* A reader for each chain of a track, at its first slice. */
static enum tc_status open_track(struct tc_cursor *cursor, uint32_t track)
{
	const struct chain *chain = &cursor->spans->chains[track];
	enum tc_status status = TC_OK;

	for (; chain && !status; chain = chain->next) {
		struct reader *reader = &cursor->readers[cursor->reader_count++];
		reader->chain = chain;
		status = fill_reader(cursor->spans, reader);
		if (reader->filled > 0)
			cursor->heap[cursor->heap_count++] =
				(struct entry){head_of(reader)->ts_ns, reader};
	}
	return status;
}

enum tc_status tc_spans_cursor(
	struct tc_cursor **out, struct tc_spans *spans, const uint32_t *tracks, size_t track_count)
{
	struct tc_cursor *cursor = tc_calloc(1, sizeof(*cursor));
	size_t count = count_chains(spans, tracks, track_count);
	enum tc_status status = TC_OK;

	if (cursor) {
		cursor->spans = spans;
		cursor->readers = tc_calloc(count, sizeof(*cursor->readers));
		cursor->heap = tc_calloc(count, sizeof(*cursor->heap));
	}
	if (!cursor || !cursor->readers || !cursor->heap) {
		tc_cursor_close(cursor);
		return tc_fail(spans->ctx, TC_ERR_NOMEM, "no memory to read a timeline");
	}
	for (size_t i = 0; i < track_count && !status; i++)
		if (tracks[i] < spans->chain_count)
			status = open_track(cursor, tracks[i]);
	if (status) {
		tc_cursor_close(cursor);
		return status;
	}
	for (size_t i = cursor->heap_count / 2; i-- > 0;)
		sift_down(cursor, i);
	*out = cursor;
	return TC_OK;
}

void tc_cursor_close(struct tc_cursor *cursor)
{
	if (!cursor)
		return;
	for (size_t i = 0; i < cursor->reader_count; i++)
		clear_reader(&cursor->readers[i]);
	tc_free(cursor->readers);
	tc_free(cursor->heap);
	tc_free(cursor);
}

enum tc_status tc_cursor_next(struct tc_cursor *cursor, const struct tc_span **span)
{
	if (cursor->started && cursor->heap_count > 0) {
		struct reader *reader = cursor->heap[0].reader;
		if (++reader->at == reader->filled) {
			enum tc_status status = fill_reader(cursor->spans, reader);
			if (status)
				return status;
		}
		if (reader->filled == 0)
			cursor->heap[0] = cursor->heap[--cursor->heap_count];
		else
			cursor->heap[0].ts_ns = head_of(reader)->ts_ns;
		sift_down(cursor, 0);
	}
	cursor->started = true;
	*span = cursor->heap_count > 0 ? head_of(cursor->heap[0].reader) : NULL;
	return TC_OK;
}
