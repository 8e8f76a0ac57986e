/*
 * A Python loop takes rows of a tensor one by one.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"host_total", "steady", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 50, 1, 1000000,
		"aten::select calls per step from which they are told; own choice: models without "
		"such loops stay well below"},
	{"min_exposed_pct", "pct", 1, 0, 100,
		"their time with no device at work, as share of the wall time, from which it is "
		"told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH row_wise AS (\n"
	"  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns, sum(exposed_ns) AS exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name = 'aten::select'\n"
	"  GROUP BY name)\n"
	"SELECT\n"
	"  r.name AS subject,\n"
	"  r.exposed_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  r.calls AS count,\n"
	"  r.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  r.dur_ns AS host_ns\n"
	"FROM row_wise r\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE r.calls >= :min_per_step_ratio * max(w.step_count, 1)\n"
	"  AND r.exposed_ns * 100.0 >= :min_exposed_pct * w.wall_ns\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_for_loop_indexing = {
	.id = "for-loop-indexing",
	.title = "Tensors are indexed row by row in Python loops",
	.advice = "Replace the loop by one operation over the whole tensor: slicing, gather, "
		  "index_select or broadcasting.",
	.why = "Each row costs a call on the host and often a small kernel; the host cannot keep "
	       "up.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "The pattern matcher of the PyTorch profiler (for-loop indexing); thresholds: "
		  "own.",
};
