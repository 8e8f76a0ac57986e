/*
 * A Python loop takes rows of a tensor one by one.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
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
	"WITH mark AS (\n"
	"  SELECT f.ts, f.ts + f.dur AS until, f.id, f.launch_count AS launches, NULL AS idle_ns\n"
	"  FROM framework_op f\n"
	"  LEFT JOIN step s ON s.id = f.step_id\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'row_loop' AND NOT coalesce(s.is_warm_up, 0)\n"
	"  UNION ALL\n"
	"  SELECT g.ts, NULL, NULL, NULL, g.dur FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.count = 1 AND g.cause NOT IN ('queued', "
	"'unknown')),\n"
	"placed AS (\n"
	"  SELECT m.ts, m.idle_ns, max(m.until) OVER loop AS until, max(m.id) OVER loop AS id\n"
	"  FROM mark m\n"
	"  WINDOW loop AS (ORDER BY m.ts, m.id IS NULL, m.id ROWS UNBOUNDED PRECEDING)),\n"
	"dry AS (\n"
	"  SELECT p.id, p.until - min(p.ts) AS late_ns, sum(min(p.idle_ns, p.until - p.ts)) AS "
	"idle_ns\n"
	"  FROM placed p\n"
	"  WHERE p.idle_ns > 0 AND p.ts < p.until\n"
	"  GROUP BY p.id, p.until),\n"
	"loop AS (\n"
	"  SELECT count(*) AS loops, sum(m.until - m.ts) AS loop_ns, sum(m.launches) AS launches,\n"
	"    coalesce(sum(d.idle_ns), 0) AS idle_ns,\n"
	"    CAST(coalesce(sum(d.idle_ns + min(max(d.late_ns - d.idle_ns, 0),\n"
	"      m.launches * :max_kernel_ns)), 0) AS INTEGER) AS gain_ns\n"
	"  FROM mark m LEFT JOIN dry d ON d.id = m.id\n"
	"  WHERE m.id IS NOT NULL),\n"
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
	"  l.idle_ns AS idle_ns\n"
	"FROM row_wise r\n"
	"JOIN loop l ON l.loops > 0\n"
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
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "The pattern matcher of the PyTorch profiler (for-loop indexing); thresholds: "
		  "own.",
};
