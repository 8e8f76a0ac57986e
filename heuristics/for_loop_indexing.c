/*
 * A Python loop takes rows of a tensor one by one.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const part_of[] = {"host-bound", "small-kernels", NULL};
static const char *const reads[] = {
	"framework_op", "host_total", "step", "steady", "steady_gap", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 50, 1, 1000000,
		"aten::select calls per step from which they are told; own choice: models without "
		"such loops stay well below"},
	{"min_exposed_pct", "pct", 1, 0, 100,
		"the gain, as share of the wall time, from which it is "
		"told; own choice"},
	{"max_kernel_ns", "ns", 5000, 0, 1000000,
		"device time of a launch within a loop that one operation over all rows saves, at "
		"most; own choice: kernels of one row take about so long"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH loop AS (\n"
	"  SELECT f.dur AS ns, f.launch_count AS launches, s.number AS step\n"
	"  FROM framework_op f\n"
	"  LEFT JOIN step s ON s.id = f.step_id\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'row_loop' AND NOT coalesce(s.is_warm_up, "
	"0)),\n"
	"idle AS (\n"
	"  SELECT g.step, sum(g.dur) AS ns FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown', 'collective')\n"
	"  GROUP BY g.step),\n"
	"in_step AS (\n"
	"  SELECT count(*) AS loops, sum(l.ns) AS loop_ns, sum(l.launches) AS launches,\n"
	"    min(coalesce(i.ns, 0), sum(l.ns)) AS idle_ns\n"
	"  FROM loop l\n"
	"  LEFT JOIN idle i ON i.step IS l.step\n"
	"  GROUP BY l.step),\n"
	"total AS (\n"
	"  SELECT sum(loops) AS loops, sum(loop_ns) AS loop_ns, sum(launches) AS launches,\n"
	"    sum(idle_ns) AS idle_ns,\n"
	"    CAST(total(idle_ns + min(launches * 1.0 * idle_ns / max(loop_ns, 1) * "
	":max_kernel_ns,\n"
	"      loop_ns - idle_ns)) AS INTEGER) AS gain_ns\n"
	"  FROM in_step),\n"
	"row_wise AS (\n"
	"  SELECT name, sum(count) AS calls\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name = 'aten::select'\n"
	"  GROUP BY name)\n"
	"SELECT\n"
	"  r.name AS subject,\n"
	"  l.gain_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  r.calls AS count,\n"
	"  r.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  l.loops AS loop_count,\n"
	"  l.loop_ns AS loop_ns,\n"
	"  l.launches * 1.0 / l.loops AS launches_per_loop_ratio,\n"
	"  l.idle_ns AS idle_ns,\n"
	"  l.gain_ns - l.idle_ns AS work_ns\n"
	"FROM row_wise r\n"
	"JOIN total l ON l.loops > 0\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE r.calls >= :min_per_step_ratio * max(w.step_count, 1)\n"
	"  AND l.gain_ns * 100.0 >= :min_exposed_pct * w.wall_ns\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_for_loop_indexing = {
	.id = "for-loop-indexing",
	.title = "Tensors are indexed row by row in Python loops",
	.advice = "Replace the loop by one operation over the whole tensor: slicing, gather, "
		  "index_select or broadcasting.",
	.why = "Each row costs a call on the host and often a small kernel; the host cannot keep "
	       "up.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE | TC_BUCKET_COMPUTE | TC_BUCKET_COPY,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "The pattern matcher of the PyTorch profiler (for-loop indexing); thresholds: "
		  "own.",
};
