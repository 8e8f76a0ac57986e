/*
 * Which call launched which device work.
 *
 *   tc_launches_add()                           while slices come, in the order of the file
 *   tc_launches_join()                          work and calls of one correlation id
 *   tc_timeline_sort()
 *   tc_launches_resolve()                       all other work: by arrows, by order, by time
 *   tc_launches_emit()                          the rows of device_link
 *
 * Failures are in the context.
 */
#pragma once

#include "model/flows.h"

/* Ids above so many bits are those of another rank or library. Tracers number them from 1. */
enum { TC_CORRELATION_BITS = 36, TC_CORRELATION_NONE = 0 };
/* The space of external ids, of events without a correlation id. */
#define TC_EXTERNAL_IDS (INT64_C(1) << 59)
static inline bool tc_is_external_id(int64_t correlation)
{
	return correlation > 0 && correlation & TC_EXTERNAL_IDS;
}

/* A slice with a correlation id. */
struct tc_correlated {
	int64_t correlation;
	struct tc_span span;
	int64_t is_device; /* a whole word, so that the record has no padding and packs well */
};

extern const struct tc_sorter_layout tc_correlated_layout;

/* A slice on a lane that is no work (a note, a copy of a call) is no call either. */
static inline bool tc_correlated_is_note(
	const struct tc_timeline *timeline, const struct tc_correlated *item)
{
	return timeline->tracks[item->span.track].kind == TC_TRACK_LANE &&
	       tc_span_engine(timeline, &item->span) == TC_ENGINE_NONE;
}

/* Work by its category, or by its lane, which is known only when all events are there. */
static inline bool tc_correlated_is_work(
	const struct tc_timeline *timeline, const struct tc_correlated *item)
{
	return item->is_device || timeline->tracks[item->span.track].kind == TC_TRACK_LANE;
}

/* Where processes number their calls alike, gives the ids of each process a space of their own
 * (true); callers.c explains whose work is whose. The sorter is replaced. */
bool tc_launches_part(struct tc_import_log *log, const struct tc_tracks *tracks,
	struct tc_timeline *timeline, struct tc_sorter **sorter);

struct tc_launches;

/* All are borrowed. NULL without memory. */
struct tc_launches *tc_launches_new(struct tc_ctx *ctx, struct tc_import_log *log,
	const struct tc_tracks *tracks, struct tc_timeline *timeline, struct tc_flows *flows);
void tc_launches_free(struct tc_launches *launches); /* NULL is fine */

/* Adds a slice. One with a correlation id reaches the timeline with tc_launches_join(): true. */
bool tc_launches_add(struct tc_launches *launches, const struct tc_span *span, int64_t id,
	const struct tc_label *label);

/* When all of the timeline but its slices is there: joins calls and work of one id. */
void tc_launches_join(struct tc_launches *launches);
/* When the timeline is sorted: finds launch and step of the other work. */
void tc_launches_resolve(struct tc_launches *launches);
/* Makes the rows of device_link. */
void tc_launches_emit(struct tc_launches *launches, struct tc_row_sink *sink);
