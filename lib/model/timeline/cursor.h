/*
 * Cursor: the slices of several tracks together, in the order of tc_span_compare(), but equal times
 * on several tracks in the order of their places; see spans.h. Cursors are opened with
 * tc_cursor_open() of the timeline. Several may be open at once, in several threads.
 */
#ifndef TC_MODEL_TIMELINE_CURSOR_H
#define TC_MODEL_TIMELINE_CURSOR_H

#include "model/timeline/chain.h"

struct tc_cursor;

/* Opens a cursor over chains that have slices, which are borrowed as file is; the array is taken,
 * also when it fails. */
enum tc_status tc_cursor_new(struct tc_cursor **out, const struct tc_chain_file *file,
	struct tc_chain **chains, size_t chain_count);
void tc_cursor_close(struct tc_cursor *cursor); /* NULL is fine */
/* *span borrows the next slice until the next call on this cursor; NULL at the end. */
enum tc_status tc_cursor_next(struct tc_cursor *cursor, const struct tc_span **span);

/*
 * Sets launch, step and method of the slice that the cursor returned last, for cursors that are
 * opened later. One cursor calls it for every slice of its tracks, then tc_spans_linked() follows.
 */
enum tc_status tc_cursor_link(struct tc_cursor *cursor, const struct tc_span *linked);

#endif
