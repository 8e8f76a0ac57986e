/*
 * The slices of all tracks of a trace, in a temporary file; cursors read those of any tracks back
 * in one order of time.
 *
 * Profilers write a track in time order, or as a few sequences in time order one after the other
 * (framework operations, then the runtime calls of that thread). So each sequence is appended to a
 * chain of its own, and almost nothing has to be sorted:
 *
 *   track 0    written   10 20 30 40 11 22 35
 *              chains    10 20 30 40    and    11 22 35
 *   track 1    chain     15 25
 *   cursor               10 11 15 20 22 25 30 35 40        merges the three chains
 *
 * A track has at most CHAIN_MAX_COUNT chains. A slice that continues none of them goes to the last
 * one, which tc_spans_sort() then sorts.
 *
 * The records of a chain are packed in blocks of 64 in the spill file. In memory are those after
 * the last whole block, and 8 bytes for every 4,096 records; a short chain stays small. A cursor
 * opens a chain when its first slice is next and closes it behind the last, so a cursor over many
 * short-lived threads holds few of them.
 *
 * Launches that are found after a chain is sorted are kept beside it, as runs of slices with one
 * launch; cursors put both together.
 */
#include "model/timeline/spans.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/heap.h"
#include "core/saturate.h"
#include "core/sort/pack.h"
#include "core/sort/sorter.h"
#include "core/sort/spill.h"

/* ---- sequences: records of one size, in the order in which they were added */

enum {
	BLOCK_RECORDS = 64,     /* packed together */
	RECORD_MAX_BYTES = 128, /* of whole words */
	PAGE_BLOCKS = 64,       /* places of blocks that go to the file together */
	GROWTH = 2, /* of arrays in memory, from one element: capacities are powers of it */
	BLOCK_MAX_BYTES = TC_PACK_BOUND(RECORD_MAX_BYTES, BLOCK_RECORDS),
};

_Static_assert((int)BLOCK_MAX_BYTES <= UINT16_MAX, "place.bytes holds the size of any block");

/* The spill file that all chains of a trace share. */
struct file {
	struct tc_ctx *ctx;
	struct tc_spill *spill;
};

/* The place of a packed block in the file. */
struct place {
	uint32_t offset_low;
	uint16_t offset_high, bytes;
};

enum { PAGE_BYTES = PAGE_BLOCKS * (int)sizeof(struct place) };

/* All zero is an empty one. */
struct sequence {
	int64_t *pages; /* offsets of pages of PAGE_BLOCKS places each */
	size_t page_count, page_capacity;
	struct place *blocks; /* places that are in no page yet */
	uint32_t block_count, block_capacity;
	void *tail; /* records that are in no block yet; empty only before the first record */
	uint32_t tail_count, tail_capacity;
};

/* Reads a sequence from its start, a block at a time. All zero but for the sequence is a new one.
 */
struct sequence_reader {
	const struct sequence *sequence;
	size_t next_page;
	size_t next_block, block_count; /* of places */
	const struct place *places;     /* those of a page, or the sequence's own */
	struct place *page;             /* NULL until a page must come from the file */
	void *block;                    /* NULL until a block must come from the file */
	bool at_tail;
	const void *records; /* the latest block read, or the tail of the sequence itself */
	size_t count;        /* of records; 0 at the end, and when the context has failed */
};

static void sequence_clear(struct sequence *sequence)
{
	tc_free(sequence->pages);
	tc_free(sequence->blocks);
	tc_free(sequence->tail);
	*sequence = (struct sequence){0};
}

/* The record added last, NULL when there is none. It may be changed until the next is added. */
static void *sequence_last(const struct sequence *sequence, size_t record_bytes)
{
	return sequence->tail_count > 0
		       ? (char *)sequence->tail + (sequence->tail_count - 1) * record_bytes
		       : NULL;
}

/* Makes room for GROWTH times as many elements. The array stays as it is when memory is out. */
static void *grown(struct tc_ctx *ctx, void *array, uint32_t *capacity, size_t size)
{
	uint32_t want = *capacity ? *capacity * GROWTH : 1;
	void *more = tc_realloc(array, want * size);

	if (!more) {
		tc_no_memory(ctx);
		return array;
	}
	*capacity = want;
	return more;
}

/* Moves the places of blocks to a page of the file. */
static void flush_places(struct sequence *sequence, const struct file *file)
{
	int64_t offset = 0;

	tc_spill_append(file->spill, sequence->blocks, PAGE_BYTES, &offset);
	TC_PUSH(file->ctx, sequence->pages, sequence->page_count, sequence->page_capacity, offset);
	sequence->block_count = 0;
}

/* Moves the tail to a block of the file. */
static void flush_tail(struct sequence *sequence, const struct file *file, size_t record_bytes)
{
	uint8_t packed[BLOCK_MAX_BYTES];
	int64_t offset = 0;

	if (sequence->block_count == PAGE_BLOCKS)
		flush_places(sequence, file);
	if (sequence->block_count == sequence->block_capacity)
		sequence->blocks = grown(file->ctx, sequence->blocks, &sequence->block_capacity,
			sizeof(*sequence->blocks));
	if (sequence->block_count == sequence->block_capacity)
		return;
	size_t len = tc_pack(packed, sequence->tail, record_bytes, BLOCK_RECORDS);
	tc_spill_append(file->spill, packed, len, &offset);
	sequence->blocks[sequence->block_count++] =
		(struct place){(uint32_t)offset, (uint16_t)(offset >> 32), (uint16_t)len};
	sequence->tail_count = 0;
}

/* Adds a record (copied). */
static void sequence_add(
	struct sequence *sequence, const struct file *file, const void *record, size_t record_bytes)
{
	if (sequence->tail_count == BLOCK_RECORDS)
		flush_tail(sequence, file, record_bytes);
	else if (sequence->tail_count == sequence->tail_capacity)
		sequence->tail =
			grown(file->ctx, sequence->tail, &sequence->tail_capacity, record_bytes);
	if (sequence->tail_count < sequence->tail_capacity)
		memcpy((char *)sequence->tail + sequence->tail_count++ * record_bytes, record,
			record_bytes);
}

static void sequence_reader_clear(struct sequence_reader *reader)
{
	tc_free(reader->page);
	tc_free(reader->block);
}

/* Loads the places of the next page, or those that are in no page yet. */
static void load_places(struct sequence_reader *reader, const struct file *file)
{
	const struct sequence *sequence = reader->sequence;
	size_t page = reader->next_page++;

	reader->next_block = 0;
	if (page == sequence->page_count) {
		reader->places = sequence->blocks;
		reader->block_count = sequence->block_count;
		return;
	}
	if (!reader->page)
		reader->page = tc_malloc(PAGE_BYTES);
	if (reader->page)
		tc_spill_read(
			file->spill, file->ctx, reader->page, PAGE_BYTES, sequence->pages[page]);
	else
		tc_no_memory(file->ctx);
	reader->places = reader->page;
	reader->block_count = tc_ctx_failed(file->ctx) ? 0 : PAGE_BLOCKS;
}

static void load_block(struct sequence_reader *reader, const struct file *file, size_t record_bytes)
{
	const struct place *place = &reader->places[reader->next_block++];
	int64_t offset = (int64_t)place->offset_high << 32 | place->offset_low;
	uint8_t packed[BLOCK_MAX_BYTES];

	if (tc_ctx_interrupted(file->ctx))
		tc_fail(file->ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (!reader->block)
		reader->block = tc_malloc(BLOCK_RECORDS * record_bytes);
	if (!reader->block)
		tc_no_memory(file->ctx);
	if (!tc_ctx_failed(file->ctx))
		tc_spill_read(file->spill, file->ctx, packed, place->bytes, offset);
	if (tc_ctx_failed(file->ctx))
		return;
	tc_unpack(reader->block, record_bytes, BLOCK_RECORDS, packed);
	reader->records = reader->block;
	reader->count = BLOCK_RECORDS;
}

/* Reads on. */
static void sequence_read(
	struct sequence_reader *reader, const struct file *file, size_t record_bytes)
{
	const struct sequence *sequence = reader->sequence;

	reader->count = 0;
	while (reader->next_block == reader->block_count &&
		reader->next_page <= sequence->page_count)
		load_places(reader, file);
	if (reader->next_block < reader->block_count) {
		load_block(reader, file, record_bytes);
	} else if (!reader->at_tail && !tc_ctx_failed(file->ctx)) {
		reader->at_tail = true;
		reader->records = sequence->tail;
		reader->count = sequence->tail_count;
	}
}

/* ---- chains: the slices of a track, one sequence in time order */

enum { SORT_BYTES = 4 * 1024 * 1024 };

_Static_assert(sizeof(struct tc_span) <= RECORD_MAX_BYTES, "slices fit");

/* All zero is an empty chain. */
struct chain {
	struct sequence slices;
	struct sequence
		*links;      /* struct link_run for all slices; NULL if none got a launch later */
	int64_t first_ts_ns; /* of its first slice */
	uint32_t place;      /* of its track: which of equal slices comes first */
	bool unsorted;
	bool has_unlaunched;
	struct chain *next; /* of the same track, NULL for the last */
};

/* Slices that follow each other in a chain and have one launch. */
struct link_run {
	int64_t launch_slice_id, launch_ts_ns, launch_end_ns;
	uint32_t launch_label;
	int32_t step;
	uint16_t method;  /* enum tc_launch_method */
	uint16_t is_kept; /* they keep the launch with which they were added */
	int64_t count;
};

/* Reads the slices of a chain with their launches, a block at a time. */
struct chain_reader {
	struct chain *chain;
	size_t at, filled;
	const struct tc_span *head; /* filled records */
	struct sequence_reader slices;
	struct sequence_reader links;
	struct tc_span *linked; /* a copy of the tail with its launches, where needed */
	struct link_run run;
	size_t next_run; /* of links */
};

/* Frees what is in a chain and the chains after it. */
static void chain_clear(struct chain *chain)
{
	struct chain *next;

	for (struct chain *other = chain; other; other = next) {
		next = other->next;
		sequence_clear(&other->slices);
		if (other->links)
			sequence_clear(other->links);
		tc_free(other->links);
		if (other != chain)
			tc_free(other);
	}
	*chain = (struct chain){0};
}

/* Whether span is not before the last slice of the chain. */
static bool chain_continues(const struct chain *chain, const struct tc_span *span)
{
	const struct tc_span *last = sequence_last(&chain->slices, sizeof(*last));

	return !last || tc_span_compare(last, span) <= 0;
}

static void chain_add(struct chain *chain, const struct file *file, const struct tc_span *span)
{
	if (chain->slices.tail_count == 0)
		chain->first_ts_ns = span->ts_ns;
	chain->unsorted |= !chain_continues(chain, span);
	chain->has_unlaunched |= span->launch_slice_id == TC_NO_ID;
	sequence_add(&chain->slices, file, span, sizeof(*span));
}

static void chain_reader_init(struct chain_reader *reader, struct chain *chain)
{
	*reader = (struct chain_reader){.chain = chain, .slices.sequence = &chain->slices};
	if (chain->links && chain->links->tail_count > 0)
		reader->links.sequence = chain->links;
}

static void chain_reader_clear(struct chain_reader *reader)
{
	sequence_reader_clear(&reader->slices);
	sequence_reader_clear(&reader->links);
	tc_free(reader->linked);
}

static const struct tc_span *reader_span(const struct chain_reader *reader)
{
	return &reader->head[reader->at];
}

static void next_run(struct chain_reader *reader, const struct file *file)
{
	if (reader->next_run == reader->links.count) {
		sequence_read(&reader->links, file, sizeof(reader->run));
		reader->next_run = 0;
	}
	if (reader->next_run < reader->links.count)
		reader->run = ((const struct link_run *)reader->links.records)[reader->next_run++];
}

static void set_launch(struct tc_span *slice, const struct link_run *run)
{
	slice->launch_slice_id = run->launch_slice_id;
	slice->launch_ts_ns = run->launch_ts_ns;
	slice->launch_end_ns = run->launch_end_ns;
	slice->launch_label = run->launch_label;
	slice->step = run->step;
	slice->method = (uint8_t)run->method;
}

/* The records at hand, to be changed. The tail belongs to the chain, and other readers use it. */
static struct tc_span *writable_records(struct chain_reader *reader)
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
static void set_launches(struct chain_reader *reader, const struct file *file)
{
	struct tc_span *records = writable_records(reader);

	if (!records && reader->filled > 0)
		tc_no_memory(file->ctx);
	reader->head = records;
	for (size_t i = 0; i < reader->filled && records; i++) {
		if (reader->run.count == 0)
			next_run(reader, file);
		reader->run.count--;
		if (!reader->run.is_kept)
			set_launch(&records[i], &reader->run);
	}
	if (tc_ctx_failed(file->ctx))
		reader->filled = 0;
}

/* Loads the next block; filled is 0 at the end, and when the context has failed. */
static void chain_read(struct chain_reader *reader, const struct file *file)
{
	sequence_read(&reader->slices, file, sizeof(*reader->head));
	reader->at = 0;
	reader->filled = reader->slices.count;
	reader->head = reader->slices.records;
	if (reader->links.sequence)
		set_launches(reader, file);
}

/* Adds all slices of a chain to a sorter. */
static void fill_sorter(struct tc_sorter *sorter, struct chain *chain, const struct file *file)
{
	struct chain_reader reader;

	chain_reader_init(&reader, chain);
	do {
		chain_read(&reader, file);
		for (size_t i = 0; i < reader.filled; i++)
			tc_sorter_add(sorter, &reader.head[i]);
	} while (reader.filled > 0);
	chain_reader_clear(&reader);
}

static void chain_sort(struct chain *chain, const struct file *file)
{
	struct tc_sorter *sorter = NULL;
	struct chain sorted = {.place = chain->place};
	const struct tc_span *span = NULL;

	sorter = tc_sorter_new(file->ctx, sizeof(*span), SORT_BYTES, tc_span_compare);
	if (!sorter)
		return;
	fill_sorter(sorter, chain, file);
	for (span = tc_sorter_first(sorter); span; span = tc_sorter_next(sorter))
		chain_add(&sorted, file, span);
	tc_sorter_free(sorter);
	sorted.next = chain->next;
	chain->next = NULL;
	chain_clear(chain);
	*chain = sorted;
}

static bool has_launch_of(const struct tc_span *slice, const struct link_run *run)
{
	return slice->launch_slice_id == run->launch_slice_id && slice->step == run->step &&
	       slice->method == run->method;
}

/* Called for every slice of a chain in order: the slice as it was added, and with its launch. */
static void chain_link(struct chain *chain, const struct file *file, const struct tc_span *added,
	const struct tc_span *linked)
{
	const struct link_run found = {
		.launch_slice_id = linked->launch_slice_id,
		.launch_ts_ns = linked->launch_ts_ns,
		.launch_end_ns = linked->launch_end_ns,
		.launch_label = linked->launch_label,
		.step = linked->step,
		.method = linked->method,
		.count = 1,
	};
	const struct link_run kept = {.is_kept = 1, .count = 1};
	bool is_kept = has_launch_of(added, &found);

	if (!chain->links)
		chain->links = tc_new(file->ctx, 1, sizeof(*chain->links));
	if (!chain->links)
		return;
	struct link_run *last = sequence_last(chain->links, sizeof(*last));
	if (last && (is_kept ? last->is_kept : !last->is_kept && has_launch_of(linked, last)))
		last->count++;
	else
		sequence_add(chain->links, file, is_kept ? &kept : &found, sizeof(found));
}

/* ---- the slices of all tracks */

enum { CHAIN_MAX_COUNT = 4 }; /* of a track; where more would be needed the last one is sorted */

/* No recording pauses for a day, while a clock may start at 0 long before it is set. Slices before,
 * within and after a recording are told apart. Our default, no published source. */
static const int64_t range_apart_ns = INT64_C(86400) * 1000 * 1000 * 1000;
enum { RANGE_MAX_COUNT = 3 };

struct track {
	struct chain chain; /* the first one */
	struct tc_spans_range ranges[RANGE_MAX_COUNT];
	size_t range_count;
};

struct tc_spans {
	struct file file;
	struct track *tracks;
	size_t track_count, track_capacity;
};

struct tc_spans *tc_spans_new(struct tc_ctx *ctx)
{
	struct tc_spans *spans = tc_new(ctx, 1, sizeof(*spans));

	if (!spans)
		return NULL;
	spans->file.ctx = ctx;
	spans->file.spill = tc_spill_new(ctx);
	if (spans->file.spill)
		return spans;
	tc_free(spans);
	return NULL;
}

void tc_spans_free(struct tc_spans *spans)
{
	if (!spans)
		return;
	for (size_t i = 0; i < spans->track_count; i++)
		chain_clear(&spans->tracks[i].chain);
	tc_free(spans->tracks);
	tc_spill_free(spans->file.spill);
	tc_free(spans);
}

/* The first chain of a track that the slice continues, a new one, or the last. */
static struct chain *chain_for(struct chain *chain, const struct tc_span *span)
{
	for (int count = 1; !chain_continues(chain, span); count++, chain = chain->next) {
		if (!chain->next && count < CHAIN_MAX_COUNT)
			chain->next = tc_calloc(1, sizeof(*chain));
		if (!chain->next)
			return chain; /* without memory for a new one this one will be sorted */
	}
	return chain;
}

/* The range less than a day from the time, else a new one; the last where there is room for none.
 */
static struct tc_spans_range *range_at(struct track *track, int64_t ts_ns)
{
	size_t i = 0;

	while (i < track->range_count &&
		(tc_sub_saturated(track->ranges[i].first_ns, ts_ns) >= range_apart_ns ||
			tc_sub_saturated(ts_ns, track->ranges[i].last_ns) >= range_apart_ns))
		i++;
	if (i == RANGE_MAX_COUNT)
		return &track->ranges[RANGE_MAX_COUNT - 1];
	if (i == track->range_count)
		track->ranges[track->range_count++] = (struct tc_spans_range){.first_ns = INT64_MAX,
			.last_ns = INT64_MIN,
			.usual_last_ns = INT64_MIN,
			.first_slice_id = TC_NO_ID,
			.longest_slice_id = TC_NO_ID};
	return &track->ranges[i];
}

static void widen(struct track *track, const struct tc_span *span)
{
	struct tc_spans_range *range = range_at(track, span->ts_ns);
	int64_t end_ns = tc_span_end_ns(span);

	if (range->count == 0 || span->ts_ns < range->first_ns ||
		(span->ts_ns == range->first_ns && span->slice_id < range->first_slice_id))
		range->first_slice_id = span->slice_id;
	range->first_ns = span->ts_ns < range->first_ns ? span->ts_ns : range->first_ns;
	range->last_ns = end_ns > range->last_ns ? end_ns : range->last_ns;
	range->count++;
	if (span->dur_ns > range->longest_ns) {
		range->longest_ns = span->dur_ns;
		range->longest_slice_id = span->slice_id;
	}
	bool is_long = span->dur_ns >= range_apart_ns;
	range->long_count += is_long;
	int64_t usual_end_ns = is_long ? span->ts_ns : end_ns;
	if (usual_end_ns > range->usual_last_ns)
		range->usual_last_ns = usual_end_ns;
}

void tc_spans_add(struct tc_spans *spans, const struct tc_span *span)
{
	size_t old = spans->track_capacity;

	if (span->track >= spans->track_count) {
		if (!TC_ROOM(spans->file.ctx, spans->tracks, spans->track_capacity,
			    (size_t)span->track + 1))
			return;
		for (size_t i = old; i < spans->track_capacity; i++)
			spans->tracks[i] = (struct track){0};
		spans->track_count = span->track + 1;
	}
	struct track *track = &spans->tracks[span->track];
	if (span->dur_ns >= 0)
		widen(track, span);
	chain_add(chain_for(&track->chain, span), &spans->file, span);
}

const struct tc_spans_range *tc_spans_ranges(
	size_t *count, const struct tc_spans *spans, uint32_t track)
{
	*count = track < spans->track_count ? spans->tracks[track].range_count : 0;
	return *count > 0 ? spans->tracks[track].ranges : NULL;
}

/* The first chain of a track, NULL when it has no slices. */
static struct chain *chains_of(const struct tc_spans *spans, uint32_t track)
{
	return track < spans->track_count ? &spans->tracks[track].chain : NULL;
}

bool tc_spans_has_unlaunched(const struct tc_spans *spans, uint32_t track)
{
	const struct chain *chain = chains_of(spans, track);

	while (chain && !chain->has_unlaunched)
		chain = chain->next;
	return chain != NULL;
}

void tc_spans_sort(struct tc_spans *spans, const uint32_t *places, size_t place_count)
{
	for (uint32_t i = 0; i < spans->track_count; i++)
		for (struct chain *chain = chains_of(spans, i); chain; chain = chain->next) {
			chain->place = i < place_count ? places[i] : 0;
			if (chain->unsorted && !tc_ctx_failed(spans->file.ctx))
				chain_sort(chain, &spans->file);
		}
	tc_spill_flush(spans->file.spill);
}

void tc_spans_linked(struct tc_spans *spans)
{
	tc_spill_flush(spans->file.spill);
}

/* ---- cursors: a merge of chains, with a heap */

/* A reader with slices left, and the start of its next one, which nearly always decides. */
struct entry {
	int64_t ts_ns;
	struct chain_reader *reader;
};

struct tc_cursor {
	const struct file *file;
	struct chain **chains; /* by their first slice */
	size_t chain_count, next_chain;
	struct entry *heap; /* the chains begun and not ended yet, first slice first */
	size_t heap_count, heap_capacity;
	bool started; /* the slice of heap[0] was returned */
};

static inline bool entry_less(const struct entry *a, const struct entry *b)
{
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns;
	const struct tc_span *x = reader_span(a->reader), *y = reader_span(b->reader);
	uint32_t x_place = a->reader->chain->place, y_place = b->reader->chain->place;
	if (x_place != y_place && x->dur_ns == y->dur_ns)
		return x_place < y_place;
	return tc_span_compare(x, y) < 0;
}

TC_HEAP(heap, struct entry, entry_less);

static void close_reader(struct chain_reader *reader)
{
	chain_reader_clear(reader);
	tc_free(reader);
}

/* Drops all that is still to come. */
static void drop_readers(struct tc_cursor *cursor)
{
	while (cursor->heap_count > 0)
		close_reader(cursor->heap[--cursor->heap_count].reader);
	cursor->next_chain = cursor->chain_count;
}

/* Adds a reader at the first slice of the chain. */
static void open_chain(struct tc_cursor *cursor, struct chain *chain)
{
	struct chain_reader *reader = tc_malloc(sizeof(*reader));

	if (!reader || !TC_GROW(cursor->heap, cursor->heap_capacity, cursor->heap_count + 1)) {
		tc_no_memory(cursor->file->ctx);
		tc_free(reader);
		return;
	}
	chain_reader_init(reader, chain);
	chain_read(reader, cursor->file);
	if (reader->filled == 0) {
		close_reader(reader);
		return;
	}
	cursor->heap[cursor->heap_count] = (struct entry){reader_span(reader)->ts_ns, reader};
	heap_up(cursor->heap, cursor->heap_count++);
}

/* Opens the chains that may have the next slice. */
static void open_chains(struct tc_cursor *cursor)
{
	while (cursor->next_chain < cursor->chain_count &&
		(cursor->heap_count == 0 ||
			cursor->chains[cursor->next_chain]->first_ts_ns <= cursor->heap[0].ts_ns))
		open_chain(cursor, cursor->chains[cursor->next_chain++]);
}

/* Counts the chains of the tracks that have slices, and lists them in chains unless it is NULL. */
static size_t list_chains(struct chain **chains, const struct tc_spans *spans,
	const uint32_t *tracks, size_t track_count)
{
	size_t count = 0;

	for (size_t i = 0; i < track_count; i++)
		for (struct chain *chain = chains_of(spans, tracks[i]); chain; chain = chain->next)
			if (chain->slices.tail_count > 0) {
				if (chains)
					chains[count] = chain;
				count++;
			}
	return count;
}

TC_ORDER_OF_POINTERS(compare_starts, struct chain, TC_UP(first_ts_ns));

static void sort_by_start(struct chain **chains, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (chains[i]->first_ts_ns < chains[i - 1]->first_ts_ns) {
			TC_SORT(chains, count, compare_starts);
			return;
		}
}

struct tc_cursor *tc_cursor_open(
	const struct tc_spans *spans, const uint32_t *tracks, size_t track_count)
{
	size_t count = list_chains(NULL, spans, tracks, track_count);
	struct chain **chains = tc_malloc(count * sizeof(struct chain *));
	struct tc_cursor *cursor = tc_calloc(1, sizeof(*cursor));

	if (!cursor || !chains) {
		tc_free(cursor);
		tc_free(chains);
		tc_no_memory(spans->file.ctx);
		return NULL;
	}
	list_chains(chains, spans, tracks, track_count);
	sort_by_start(chains, count);
	*cursor = (struct tc_cursor){.file = &spans->file, .chains = chains, .chain_count = count};
	open_chains(cursor);
	return cursor;
}

void tc_cursor_close(struct tc_cursor *cursor)
{
	if (!cursor)
		return;
	drop_readers(cursor);
	tc_free(cursor->chains);
	tc_free(cursor->heap);
	tc_free(cursor);
}

/* Goes past the slice that was returned. */
static void go_on(struct tc_cursor *cursor)
{
	struct chain_reader *reader = cursor->heap[0].reader;

	if (++reader->at == reader->filled)
		chain_read(reader, cursor->file);
	if (reader->filled > 0) {
		cursor->heap[0].ts_ns = reader_span(reader)->ts_ns;
	} else if (tc_ctx_failed(cursor->file->ctx)) {
		drop_readers(cursor);
	} else {
		close_reader(reader);
		cursor->heap[0] = cursor->heap[--cursor->heap_count];
	}
	if (cursor->heap_count > 0)
		heap_down(cursor->heap, cursor->heap_count, 0);
	open_chains(cursor);
}

const struct tc_span *tc_cursor_next(struct tc_cursor *cursor)
{
	if (!cursor)
		return NULL;
	if (cursor->started && cursor->heap_count > 0)
		go_on(cursor);
	cursor->started = true;
	return cursor->heap_count > 0 ? reader_span(cursor->heap[0].reader) : NULL;
}

void tc_cursor_link(struct tc_cursor *cursor, const struct tc_span *linked)
{
	const struct chain_reader *reader = cursor->heap[0].reader;

	chain_link(reader->chain, cursor->file, reader_span(reader), linked);
}
