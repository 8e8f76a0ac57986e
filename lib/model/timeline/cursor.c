/*
 * Merges the chains of several tracks with a heap; see cursor.h. A chain is opened when its first
 * slice is next and closed behind its last, so a cursor over many short-lived threads holds few of
 * them.
 */
#include "model/timeline/cursor.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/heap.h"

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
	tc_chain_reader_clear(reader);
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
	tc_chain_reader_init(reader, chain);
	enum tc_status status = tc_chain_read(reader, cursor->file);
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
		enum tc_status status = tc_chain_read(reader, cursor->file);
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

	return tc_chain_link(reader->chain, cursor->file, tc_chain_reader_span(reader), linked);
}
