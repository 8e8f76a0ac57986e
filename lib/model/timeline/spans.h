/*
 * Slices of a timeline by track, and cursors over them: a slice as cursors return it, the order in
 * which they return slices, adding and sorting. spans.c explains how they are kept.
 *
 *   adding    tc_spans_add() for every slice, in any order; then tc_spans_sort()
 *   linking   tc_cursor_open(), tc_cursor_next() and tc_cursor_link() for every slice of some
 *             lanes; at last tc_spans_linked()
 *   reading   cursors, several at once, in several threads
 *
 * Failures are in the context of the spans: nothing is added then, and cursors are at their end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context.h"

#define TC_NO_ID (-1)

struct tc_span {
	int64_t ts_ns, dur_ns; /* dur_ns -1: no end in the file */
	int64_t slice_id;
	uint32_t track, label; /* indexes of the timeline's tracks[], labels[] */
	/* Members of lane slices. Whether a track is a lane is known only at the end of the file,
	 * so any slice may turn out to be one: what is known of a framework operation has members
	 * of its own. */
	int64_t launch_slice_id;             /* or TC_NO_ID */
	int64_t launch_ts_ns, launch_end_ns; /* of the launch; valid with launch_slice_id */
	uint32_t launch_label; /* of the launch, as label; valid with launch_slice_id */
	int32_t step;          /* index of steps[] the work belongs to, or -1 */
	/* Members of framework operations. */
	int64_t sequence; /* autograd's number of the operation to be differentiated next, or -1 */
	/* a hash of the sizes and types of its inputs; of a kernel 16 bits for the blocks of its
	 * launch, from 1; 0: not recorded */
	uint64_t shape;
	/* Member of work of the backward pass: the profiler's number of the thread that counted
	 * sequence; -1 for other operations. */
	int32_t forward_thread;
	uint32_t stack; /* 1 more than the index of stacks[]; 0 for none */
	/* Sizes and types of the inputs, as JSON, of operations whose cost depends on them.
	 * Numbers in the timeline's texts, or TC_STRTAB_NONE, as are the two below. */
	uint32_t sizes, types;
	uint32_t data_type, recipe; /* of any slice */
	uint8_t method;             /* enum tc_launch_method; until launches are resolved that of
				       work whose call is not in the trace, by its id */
	/* Host slices without length: 1 more than the number of begin and end events without length
	 * around theirs; 0 for complete events and for all other slices. */
	uint8_t zero_depth;
	uint8_t role; /* enum tc_role of a copy call, from the direction of its copy; NONE: the role
			 of the label counts */
	uint8_t layer; /* tc_label_layer() of the label */
};

/* The end of a slice; one without an end is open for ever. */
static inline int64_t tc_span_end_ns(const struct tc_span *span)
{
	return span->dur_ns < 0 ? INT64_MAX : span->ts_ns + span->dur_ns;
}

/* The end of a slice; one without an end has no length. */
static inline int64_t tc_span_known_end_ns(const struct tc_span *span)
{
	return span->ts_ns + (span->dur_ns < 0 ? 0 : span->dur_ns);
}

/*
 * Orders by ts ascending, then end descending (so an enclosing slice comes before what it holds),
 * then by layer, then slice_id ascending. Names cannot tell which of two operations of one start
 * and end encloses the other, but the order of the file does: profilers write the outer one first.
 */
static inline int tc_span_compare(const void *a, const void *b)
{
	const struct tc_span *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	int64_t x_end_ns = tc_span_end_ns(x), y_end_ns = tc_span_end_ns(y);
	if (x_end_ns != y_end_ns)
		return x_end_ns > y_end_ns ? -1 : 1;
	if (x->layer != y->layer && x->dur_ns > 0)
		return x->layer < y->layer ? -1 : 1;
	return x->slice_id < y->slice_id ? -1 : x->slice_id > y->slice_id;
}

struct tc_spans;

struct tc_spans *tc_spans_new(struct tc_ctx *ctx); /* NULL without memory */
void tc_spans_free(struct tc_spans *spans);        /* NULL is fine */

/* Adds a slice to its track. */
void tc_spans_add(struct tc_spans *spans, const struct tc_span *span);
/*
 * Puts every track in order. After this several threads may read at once, until something is added.
 * Slices of several tracks that start and end at the same times come in the order of their tracks'
 * places, 0 for tracks without one; where those are equal, too, in the order of their ids.
 */
void tc_spans_sort(struct tc_spans *spans, const uint32_t *places, size_t place_count);

/* Slices of a track that have an end: from the first start to the last end. */
struct tc_spans_range {
	int64_t first_ns, last_ns, count;
	int64_t first_slice_id; /* of those that start first, the first in the file */
	int64_t longest_ns, longest_slice_id;
	int64_t usual_last_ns; /* where slices of a day or more count as short as can be */
	int64_t long_count;    /* of these */
};

/* The ranges of a track, in no order; none when no slice has an end. There is one, unless slices
 * lie a day or more from all others. */
const struct tc_spans_range *tc_spans_ranges(
	size_t *count, const struct tc_spans *spans, uint32_t track);

/* Whether no launch is known for some slice of the track. */
bool tc_spans_has_unlaunched(const struct tc_spans *spans, uint32_t track);

/* A cursor over the slices of several tracks, in the order of tc_span_compare() but for places. */
struct tc_cursor *tc_cursor_open(
	const struct tc_spans *spans, const uint32_t *tracks, size_t track_count);
void tc_cursor_close(struct tc_cursor *cursor); /* NULL is fine */
/* Borrows the next slice until the next call on this cursor; NULL at the end, and after a failure
 * of any kind. */
const struct tc_span *tc_cursor_next(struct tc_cursor *cursor);

/* Sets launch, step and method of the slice that the cursor returned last, for cursors that are
 * opened later. One cursor calls it for every slice of its tracks. */
void tc_cursor_link(struct tc_cursor *cursor, const struct tc_span *linked);
/* Ends the calls of tc_cursor_link(). */
void tc_spans_linked(struct tc_spans *spans);
