/*
 * Launched work: every device operation with the call that launched it. A walk over the host
 * threads meets the calls in the same order, so it reads the work of each call in turn and memory
 * does not grow with the trace. Work of one call is in time order.
 */
#ifndef TC_ANALYSIS_DEVICE_LAUNCHED_H
#define TC_ANALYSIS_DEVICE_LAUNCHED_H

#include "core/saturate.h"
#include "core/sort/sorter.h"
#include "model/timeline/spans.h"

/* Time of device work: the durations added up, and the part of the busy time that is attributed to
 * it (device_tally.h). Only the latter adds up to the time that the device works. */
struct tc_work_time {
	int64_t dur_ns, exclusive_ns;
};

static inline void tc_work_time_add(struct tc_work_time *sum, struct tc_work_time time)
{
	sum->dur_ns = tc_add_saturated(sum->dur_ns, time.dur_ns);
	sum->exclusive_ns = tc_add_saturated(sum->exclusive_ns, time.exclusive_ns);
}

static inline void tc_work_time_take(struct tc_work_time *sum, struct tc_work_time time)
{
	sum->dur_ns = tc_sub_saturated(sum->dur_ns, time.dur_ns);
	sum->exclusive_ns = tc_sub_saturated(sum->exclusive_ns, time.exclusive_ns);
}

struct tc_launched {
	/* The call: its place in the order of tc_span_compare(). INT64_MIN and TC_NO_ID when the
	 * call is not known; such work comes first. */
	int64_t launch_ts_ns, launch_end_ns, launch_slice_id;
	int64_t ts_ns, slice_id;
	struct tc_work_time time;
	uint32_t label, track;
};

/* The row of an operation with an end, without its exclusive time. */
struct tc_launched tc_launched_of(const struct tc_span *span);
/* Adds a row to *sorter, which is made with the first one. */
enum tc_status tc_launched_add(
	struct tc_sorter **sorter, struct tc_ctx *ctx, const struct tc_launched *work);

/* <0 when the launching call comes before a host slice that has an end, 0 when it is that slice. */
int tc_launched_compare(const struct tc_launched *work, const struct tc_span *host);

#endif
