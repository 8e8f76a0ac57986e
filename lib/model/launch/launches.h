/*
 * Which call launched which device work. Work with a correlation id is joined with its call before
 * the timeline is sorted. The rest is read once more in time order, and its launch is found by
 * arrows, by recipes or by time; what is found is kept beside the slices in the timeline.
 */
#ifndef TC_MODEL_LAUNCH_LAUNCHES_H
#define TC_MODEL_LAUNCH_LAUNCHES_H

#include "model/launch/correlation.h"
#include "model/flows/flows.h"

/* The first five are borrowed, and the caller's to set. */
struct tc_launches {
	struct tc_ctx *ctx;
	struct tc_import_log *log;
	const struct tc_tracks *tracks;
	struct tc_timeline *timeline;
	struct tc_flows *flows;
	struct tc_recording recording;
	struct tc_correlation correlation; /* slices with a correlation id */
	struct tc_sorter *calls;           /* that launch or copy, of runtimes without such ids */
	struct tc_links links;             /* of work whose launch is known */
};

/* After the borrowed fields are set. */
void tc_launches_init(struct tc_launches *launches);
void tc_launches_clear(struct tc_launches *launches);

/* Adds a slice that has a correlation id; it reaches the timeline with tc_launches_join(). */
enum tc_status tc_launches_add(struct tc_launches *launches, const struct tc_span *span, int64_t id,
	const struct tc_label *label);
/* Adds a call of a runtime without correlation ids. */
enum tc_status tc_launches_add_call(
	struct tc_launches *launches, const struct tc_span *span, enum tc_call_class call_class);

/* When all of the timeline but its slices is there: joins calls and work of the same id. */
enum tc_status tc_launches_join(struct tc_launches *launches);
/* When the timeline is sorted: finds launch and step of the other work. */
enum tc_status tc_launches_resolve(struct tc_launches *launches);
/* Makes the rows of device_link. */
enum tc_status tc_launches_emit(struct tc_launches *launches, struct tc_row_sink *sink);

#endif
