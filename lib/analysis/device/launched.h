/*
 * Launched work: every device operation with the call that launched it, in the order in which a walk
 * over the host threads meets the calls; that of one call is in the order of time. So the work of a call is known when the walk is there,
 * whatever the size of the trace.
 */
#ifndef TC_ANALYSIS_DEVICE_LAUNCHED_H
#define TC_ANALYSIS_DEVICE_LAUNCHED_H

#include "core/sort/sorter.h"
#include "model/timeline/span.h"

struct tc_launched {
	/* Of the call: its place in the order of tc_span_compare(). INT64_MIN and TC_NO_ID for
	 * work whose call is not known, which comes first. */
	int64_t launch_ts_ns, launch_end_ns, launch_slice_id;
	int64_t ts_ns, dur_ns, slice_id;
	uint32_t label, track;
};

/* Adds an operation with an end to *sorter, which is made with the first one. */
enum tc_status tc_launched_add(
	struct tc_sorter **sorter, struct tc_ctx *ctx, const struct tc_span *span);

/* <0 when the call of the work comes before a host slice that has an end, 0 when it is that slice. */
int tc_launched_compare(const struct tc_launched *work, const struct tc_span *host);

#endif
