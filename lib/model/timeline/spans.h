/*
 * Spans: the slices of a timeline by track. Profilers write a track in time order, or as a few
 * sequences in time order, so slices are appended to chains as they come and almost nothing needs
 * to be sorted.
 */
#ifndef TC_MODEL_TIMELINE_SPANS_H
#define TC_MODEL_TIMELINE_SPANS_H

#include "model/timeline/cursor.h"

struct tc_spans;

enum tc_status tc_spans_new(struct tc_spans **out, struct tc_ctx *ctx);
void tc_spans_free(struct tc_spans *spans); /* NULL is fine */

/* Adds a slice to its track. */
enum tc_status tc_spans_add(struct tc_spans *spans, const struct tc_span *span);
/* Puts every track in order. After this several threads may read at once, until something is
 * added. */
enum tc_status tc_spans_sort(struct tc_spans *spans);

/* Slices of several tracks that start and end at the same times come in the order of their tracks'
 * places, whose slices are in order; where those are equal, too, in the order of their ids. */
void tc_spans_set_place(struct tc_spans *spans, uint32_t track, uint32_t place);

/* Slices of a track that have an end: from the first start to the last end. */
struct tc_spans_range {
	int64_t first_ns, last_ns, count;
	int64_t first_slice_id; /* of those that start first, the first in the file */
};

/* The ranges of a track, in no order; none when no slice has an end. There is one, unless slices
 * lie a day or more from all others. */
const struct tc_spans_range *tc_spans_ranges(
	size_t *count, const struct tc_spans *spans, uint32_t track);

/* True when no launch is known for some slice of the track. */
bool tc_spans_has_unlaunched(const struct tc_spans *spans, uint32_t track);

enum tc_status tc_spans_cursor(
	struct tc_cursor **out, struct tc_spans *spans, const uint32_t *tracks, size_t track_count);
/* Ends the calls of tc_cursor_link(). */
enum tc_status tc_spans_linked(struct tc_spans *spans);

#endif
