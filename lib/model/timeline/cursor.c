/* Merges the chains of several tracks with a heap; see cursor.h. */
#include "model/timeline/cursor.h"

#include "core/alloc.h"

/* A reader with slices left, and the start of its next one, which nearly always decides. */
struct entry {
	int64_t ts_ns;
	struct tc_chain_reader *reader;
};

struct tc_cursor {
	const struct tc_chain_file *file;
	struct tc_chain_reader *readers;
	size_t reader_count;
	struct entry *heap; /* first slice first */
	size_t heap_count;
	bool started; /* the slice of heap[0] was returned */
};

static inline bool entry_less(const struct entry *a, const struct entry *b)
{
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns;
	return tc_span_compare(tc_chain_reader_span(a->reader), tc_chain_reader_span(b->reader)) <
	       0;
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

/* Adds a reader at the first slice of the chain. */
static enum tc_status open_chain(struct tc_cursor *cursor, struct tc_chain *chain)
{
	struct tc_chain_reader *reader = &cursor->readers[cursor->reader_count++];

	tc_chain_reader_init(reader, chain);
	enum tc_status status = tc_chain_read(reader, cursor->file);
	if (reader->filled > 0)
		cursor->heap[cursor->heap_count++] =
			(struct entry){tc_chain_reader_span(reader)->ts_ns, reader};
	return status;
}

enum tc_status tc_cursor_new(struct tc_cursor **out, const struct tc_chain_file *file,
	struct tc_chain *const *chains, size_t chain_count)
{
	struct tc_cursor *cursor = tc_calloc(1, sizeof(*cursor));
	enum tc_status status = TC_OK;

	if (cursor) {
		cursor->file = file;
		cursor->readers = tc_calloc(chain_count, sizeof(*cursor->readers));
		cursor->heap = tc_calloc(chain_count, sizeof(*cursor->heap));
	}
	if (!cursor || !cursor->readers || !cursor->heap)
		status = tc_no_memory(file->ctx);
	for (size_t i = 0; i < chain_count && !status; i++)
		status = open_chain(cursor, chains[i]);
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
		tc_chain_reader_clear(&cursor->readers[i]);
	tc_free(cursor->readers);
	tc_free(cursor->heap);
	tc_free(cursor);
}

enum tc_status tc_cursor_next(struct tc_cursor *cursor, const struct tc_span **span)
{
	if (cursor->started && cursor->heap_count > 0) {
		struct tc_chain_reader *reader = cursor->heap[0].reader;
		if (++reader->at == reader->filled) {
			enum tc_status status = tc_chain_read(reader, cursor->file);
			if (status)
				return status;
		}
		if (reader->filled == 0)
			cursor->heap[0] = cursor->heap[--cursor->heap_count];
		else
			cursor->heap[0].ts_ns = tc_chain_reader_span(reader)->ts_ns;
		sift_down(cursor, 0);
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
