/*
 * Launched work: every device operation with the call that launched it. A walk over the host
 * threads meets the calls in the same order, so it reads the work of each call in turn and memory
 * does not grow with the trace. Work of one call is in time order.
 */
#ifndef TC_ANALYSIS_DEVICE_LAUNCHED_H
#define TC_ANALYSIS_DEVICE_LAUNCHED_H

#include "core/sort/sorter.h"
#include "model/timeline/span.h"

struct tc_launched {
	/* The call: its place in the order of tc_span_compare(). INT64_MIN and TC_NO_ID when the
	 * call is not known; such work comes first. */
	int64_t launch_ts_ns, launch_end_ns, launch_slice_id;
	int64_t ts_ns, dur_ns, slice_id;
	uint32_t label, track;
};

/* Adds an operation with an end to *sorter, which is made with the first one. */
enum tc_status tc_launched_add(
	struct tc_sorter **sorter, struct tc_ctx *ctx, const struct tc_span *span);

/* <0 when the launching call comes before a host slice that has an end, 0 when it is that slice. */
int tc_launched_compare(const struct tc_launched *work, const struct tc_span *host);

#endif
