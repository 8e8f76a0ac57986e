/*
 * Recording itself takes a large part of what is recorded.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", NULL};
static const char *const reads[] = {"host_total", "metric", "steady", NULL};
static const struct tc_param params[] = {
	{"max_python_pct", "pct", 30, 0, 100,
		"share of Python frames among the slices from which it is told; own choice"},
	{"max_overhead_pct", "pct", 5, 0, 100,
		"time in slices that the profiler marks as its own overhead, as share of the wall "
		"time, from which it is told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH overhead AS (\n"
	"  SELECT name, sum(count) AS slices, sum(dur_ns) AS dur_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND lower(category) = 'overhead'\n"
	"  GROUP BY name),\n"
	"frames AS (\n"
	"  SELECT max(CASE WHEN name = 'python_frame_count' THEN value END) AS python,\n"
	"    max(CASE WHEN name = 'slice_count' THEN value END) AS slices\n"
	"  FROM metric\n"
	"  WHERE trace_id = :trace_id AND name IN ('python_frame_count', 'slice_count')\n"
	"    AND device IS NULL AND step IS NULL)\n"
	"SELECT\n"
	"  'Python frames (with_stack)' AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  f.python AS count,\n"
	"  0 AS serious,\n"
	"  f.python * 100.0 / f.slices AS slices_pct,\n"
	"  NULL AS overhead_ns,\n"
	"  NULL AS wall_pct\n"
	"FROM frames f\n"
	"WHERE f.python * 100.0 >= :max_python_pct * f.slices AND f.slices > 0\n"
	"UNION ALL\n"
	"SELECT\n"
	"  o.name, NULL, 'measured', o.slices, 0, NULL, o.dur_ns,\n"
	"  o.dur_ns * 100.0 / w.wall_ns\n"
	"FROM overhead o\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT sum(dur_ns) FROM overhead) * 100.0 >= :max_overhead_pct * w.wall_ns\n"
	"ORDER BY slices_pct DESC, overhead_ns DESC, subject\n";

const struct tc_heuristic tc_h_profiler_overhead = {
	.id = "profiler-overhead",
	.title = "Recording slows down what it records",
	.advice = "Record without with_stack and record_shapes unless they are needed, and for "
		  "fewer steps.",
	.why = "Every recorded frame and shape costs host time, so a run that waits for its host "
	       "looks worse than it is.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch profiler documentation (with_stack and record_shapes add overhead); "
		  "thresholds: own.",
};
