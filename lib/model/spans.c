/* Slices by track in a spill file, and merge cursors over them; see spans.h. */
#include "model/spans.h"

#include <string.h>

#include "core/alloc.h"
#include "core/sequence.h"
#include "core/sorter.h"
#include "core/spill.h"

enum {
	CHAIN_MAX_COUNT = 4, /* of a track; where more would be needed the last one is sorted */
	SORT_BYTES = 4 * 1024 * 1024,
};
_Static_assert(sizeof(struct tc_span) <= TC_SEQUENCE_RECORD_MAX_BYTES, "slices fit");

/*
 * Slices in time order. A track has more than one chain where several sequences were written one
 * after the other (framework operations, then the runtime calls of the same thread): each goes on
 * in a chain of its own, and cursors merge them.
 */
struct chain {
	struct tc_sequence slices;
	struct tc_sequence
		links; /* struct link_run, for all slices, where some were linked later */
	bool unsorted;
	bool has_unlaunched;
	bool has_extent; /* of the first chain of a track: that of all its slices */
	int64_t first_ns, last_ns;
	struct chain *next; /* of the same track, NULL for the last */
};

/* Slices that follow each other in a chain and have one launch. */
struct link_run {
	int64_t launch_slice_id, launch_ts_ns, launch_end_ns;
	int32_t step;
	uint16_t method;  /* enum tc_launch_method */
	uint16_t is_kept; /* they have what they had when they were added */
	int64_t count;
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
		tc_sequence_clear(&other->slices);
		tc_sequence_clear(&other->links);
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

/* True when span can follow what is in the chain. */
static bool goes_on(const struct chain *chain, const struct tc_span *span)
{
	const struct tc_span *last = tc_sequence_last(&chain->slices, sizeof(*last));

	return !last || tc_span_compare(last, span) <= 0;
}

static enum tc_status add_to_chain(
	struct tc_spans *spans, struct chain *chain, const struct tc_span *span)
{
	chain->unsorted |= !goes_on(chain, span);
	chain->has_unlaunched |= span->launch_slice_id == TC_NO_ID;
	return tc_sequence_add(&chain->slices, spans->ctx, spans->spill, span, sizeof(*span));
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

/* Reads the slices of a chain in the order they were added, with their launches. */
struct reader {
	struct chain *chain;
	size_t at, filled;
	const struct tc_span *head; /* filled records */
	struct tc_sequence_reader slices;
	struct tc_sequence_reader links;
	struct tc_span *linked; /* a copy of the tail with its launches, where needed */
	struct link_run run;
	size_t next_run; /* of links */
};

static void start_reader(struct reader *reader, struct chain *chain)
{
	*reader = (struct reader){.chain = chain, .slices.sequence = &chain->slices};
	if (chain->links.tail_count > 0)
		reader->links.sequence = &chain->links;
}

static void clear_reader(struct reader *reader)
{
	tc_sequence_reader_clear(&reader->slices);
	tc_sequence_reader_clear(&reader->links);
	tc_free(reader->linked);
}

static enum tc_status next_run(struct tc_spans *spans, struct reader *reader)
{
	enum tc_status status = TC_OK;

	if (reader->next_run == reader->links.count) {
		status = tc_sequence_read(
			&reader->links, spans->ctx, spans->spill, sizeof(reader->run));
		reader->next_run = 0;
	}
	if (!status && reader->next_run < reader->links.count)
		reader->run = ((const struct link_run *)reader->links.records)[reader->next_run++];
	return status;
}

static void give_launch(struct tc_span *slice, const struct link_run *run)
{
	slice->launch_slice_id = run->launch_slice_id;
	slice->launch_ts_ns = run->launch_ts_ns;
	slice->launch_end_ns = run->launch_end_ns;
	slice->step = run->step;
	slice->method = (uint8_t)run->method;
}

/* The records at hand, to be changed. The tail is the chain's and may be read by others. */
static struct tc_span *own_records(struct reader *reader)
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

/* Gives the records at hand the launches that they were given after they were added. */
static enum tc_status give_launches(struct tc_spans *spans, struct reader *reader)
{
	struct tc_span *records = own_records(reader);
	enum tc_status status = TC_OK;

	if (!records && reader->filled > 0)
		return tc_fail(spans->ctx, TC_ERR_NOMEM, "no memory to read a timeline");
	reader->head = records;
	for (size_t i = 0; i < reader->filled && !status; i++) {
		if (reader->run.count == 0)
			status = next_run(spans, reader);
		reader->run.count--;
		if (!status && !reader->run.is_kept)
			give_launch(&records[i], &reader->run);
	}
	return status;
}

/* Loads the next block, or the tail; filled is 0 at the end. */
static enum tc_status fill_reader(struct tc_spans *spans, struct reader *reader)
{
	enum tc_status status =
		tc_sequence_read(&reader->slices, spans->ctx, spans->spill, sizeof(*reader->head));

	reader->at = 0;
	reader->filled = reader->slices.count;
	reader->head = reader->slices.records;
	return status || !reader->links.sequence ? status : give_launches(spans, reader);
}

static enum tc_status sort_chain(struct tc_spans *spans, struct chain *chain)
{
	struct tc_sorter *sorter = NULL;
	struct reader reader;
	struct chain sorted = {0};
	const void *record = NULL;
	enum tc_status status = tc_sorter_new(
		&sorter, spans->ctx, sizeof(struct tc_span), SORT_BYTES, tc_span_compare);

	start_reader(&reader, chain);
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
	struct chain *chain = &cursor->spans->chains[track];
	enum tc_status status = TC_OK;

	for (; chain && !status; chain = chain->next) {
		struct reader *reader = &cursor->readers[cursor->reader_count++];
		start_reader(reader, chain);
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

static bool has_launch_of(const struct tc_span *slice, const struct link_run *run)
{
	return slice->launch_slice_id == run->launch_slice_id && slice->step == run->step &&
	       slice->method == run->method;
}

enum tc_status tc_cursor_link(struct tc_cursor *cursor, const struct tc_span *linked)
{
	const struct reader *reader = cursor->heap[0].reader;
	const struct tc_span *was = head_of(reader);
	struct tc_sequence *links = &reader->chain->links;
	struct link_run *last = tc_sequence_last(links, sizeof(*last));
	struct link_run run = {.is_kept = 1, .count = 1};
	bool is_kept = was->launch_slice_id == linked->launch_slice_id &&
		       was->step == linked->step && was->method == linked->method;

	if (last && (is_kept ? last->is_kept : !last->is_kept && has_launch_of(linked, last))) {
		last->count++;
		return TC_OK;
	}
	if (!is_kept)
		run = (struct link_run){
			.launch_slice_id = linked->launch_slice_id,
			.launch_ts_ns = linked->launch_ts_ns,
			.launch_end_ns = linked->launch_end_ns,
			.step = linked->step,
			.method = linked->method,
			.count = 1,
		};
	return tc_sequence_add(links, cursor->spans->ctx, cursor->spans->spill, &run, sizeof(run));
}

enum tc_status tc_spans_linked(struct tc_spans *spans)
{
	return tc_spill_flush(spans->spill);
}
