/*
 * Whether a trace shows enough of its run to be judged. Verdict and severities ask the same
 * question, so that no alarm stands under a verdict that there is too little to judge.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One device operation or two say nothing about a run; fewer than this is called too little.
 * Our default, no published source. */
#define TC_JUDGE_MIN_OPS 20

enum tc_judgement {
	TC_JUDGE_ENOUGH,
	TC_JUDGE_NO_SLICES,
	TC_JUDGE_NO_DEVICE,
	TC_JUDGE_DEGENERATE, /* fewer than half of the steps launched the device work */
	TC_JUDGE_MISSING,    /* most operations are missing from the file */
	TC_JUDGE_CLOCKS,     /* steps and device work are on several clocks */
	TC_JUDGE_CAPTURE,    /* graphs are captured, which happens once, and none is replayed */
	TC_JUDGE_START_UP,   /* nearly all of it is start-up, which happens once */
	TC_JUDGE_FEW_OPS
};

enum tc_judge_once { TC_ONCE_NOTHING, TC_ONCE_CAPTURE, TC_ONCE_START_UP };

struct tc_judge_facts {
	int64_t slice_count, device_op_count;
	int64_t step_count, working_step_count; /* steps; those that launched device work */
	int64_t recorded_one_of;                /* the metric; 0 where it is not known */
	bool has_device, has_one_clock;
	enum tc_judge_once once; /* TC_JUDGE_ONCE_SQL */
};

/* Whether a trace t without steps shows only work that happens once: it captures graphs and
 * replays none, or nine tenths of the time between its first and its last device work are start-up
 * (our default, no published source). */
#define TC_JUDGE_ONCE_SQL                                                                          \
	"(SELECT CASE"                                                                             \
	" WHEN EXISTS (SELECT 1 FROM step s WHERE s.trace_id = t.id) THEN 0"                       \
	" WHEN (SELECT max(h.mark IN ('graph_begin', 'graph_capture'))"                            \
	"  AND NOT max(h.mark = 'graph_launch') FROM host_total h"                                 \
	"  WHERE h.trace_id = t.id AND h.mark IS NOT NULL) THEN 1"                                 \
	" WHEN (SELECT r.setup_ns > 9 * (r.wall_ns - r.edge_ns - r.setup_ns - r.unrecorded_ns)"    \
	"  FROM run_time r WHERE r.trace_id = t.id) THEN 2"                                        \
	" ELSE 0 END)"

static inline enum tc_judgement tc_judge(const struct tc_judge_facts *facts)
{
	if (facts->slice_count == 0)
		return TC_JUDGE_NO_SLICES;
	if (!facts->has_device)
		return TC_JUDGE_NO_DEVICE;
	if (facts->recorded_one_of > 1)
		return TC_JUDGE_MISSING;
	if (!facts->has_one_clock)
		return TC_JUDGE_CLOCKS;
	if (facts->step_count > 1 && facts->working_step_count * 2 < facts->step_count)
		return TC_JUDGE_DEGENERATE;
	if (facts->once == TC_ONCE_CAPTURE)
		return TC_JUDGE_CAPTURE;
	if (facts->once == TC_ONCE_START_UP)
		return TC_JUDGE_START_UP;
	return facts->device_op_count < TC_JUDGE_MIN_OPS ? TC_JUDGE_FEW_OPS : TC_JUDGE_ENOUGH;
}

/* Whether times and shares of such a trace are those of its run. */
static inline bool tc_judge_has_shares(enum tc_judgement judgement)
{
	return judgement != TC_JUDGE_DEGENERATE && judgement != TC_JUDGE_MISSING &&
	       judgement != TC_JUDGE_CLOCKS;
}
