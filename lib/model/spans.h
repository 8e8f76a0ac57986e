/*
 * Spans: the sorted slices behind a timeline. Each track is a few chains of blocks in one spill
 * file, appended to as slices come. Profilers write a track in time order, or as a few sequences
 * that are, so almost nothing needs to be sorted.
 */
#ifndef TC_MODEL_SPANS_H
#define TC_MODEL_SPANS_H

#include "model/timeline.h"

struct tc_spans;

enum tc_status tc_spans_new(struct tc_spans **out, struct tc_ctx *ctx);
void tc_spans_free(struct tc_spans *spans); /* NULL is fine */

/* Adds a slice to its track. */
enum tc_status tc_spans_add(struct tc_spans *spans, const struct tc_span *span);
/* Puts every track in order; cursors read what was added until now. After this several threads may
 * read at once, until something is added. */
enum tc_status tc_spans_sort(struct tc_spans *spans);

/* From the first start to the last end of the slices of a track that have an end; the first is
 * after the last when there is none. */
void tc_spans_extent(
	const struct tc_spans *spans, uint32_t track, int64_t *first_ns, int64_t *last_ns);

/* True when a slice of the track has no launch that is known. */
bool tc_spans_has_unlaunched(const struct tc_spans *spans, uint32_t track);

enum tc_status tc_spans_cursor(
	struct tc_cursor **out, struct tc_spans *spans, const uint32_t *tracks, size_t track_count);

/*
 * Gives the slice that the cursor gave last its launch, step and method; cursors that are opened
 * later give it with them. It is called for every slice of the cursor's tracks, by one cursor, and
 * tc_spans_linked() after the last.
 */
enum tc_status tc_cursor_link(struct tc_cursor *cursor, const struct tc_span *linked);
enum tc_status tc_spans_linked(struct tc_spans *spans);

/* The order of cursors: ts, then the end descending, then slice_id. */
int tc_span_compare(const void *a, const void *b);

#endif
