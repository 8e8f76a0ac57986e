/*
 * The allocator takes more memory from the device again and again after the first step, or a
 * metrics file counts defragmentations: sizes change, and what is free does not fit. One row per
 * device and per file.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"memory_growth", NULL};
static const char *const reads[] = {
	"memory_sample", "step", "side_defragmentation", "capability", NULL};
static const struct tc_param params[] = {
	{"min_growth_count", "count", 3, 1, 1000000,
		"times that reserved memory grows after the first complete step from which "
		"it is told; own choice"},
	{"min_defragmentation_count", "count", 1, 1, 1000000,
		"defragmentations in a metrics file from which they are told; the PyTorch "
		"guide wants none"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH sample AS (\n"
	"  SELECT device_type, device_id, ts, total_reserved_bytes AS reserved_bytes,\n"
	"    lag(total_reserved_bytes) OVER (PARTITION BY device_type, device_id ORDER BY ts, id)\n"
	"      AS before_bytes\n"
	"  FROM memory_sample\n"
	"  WHERE trace_id = :trace_id AND device_type <> 0 AND total_reserved_bytes IS NOT NULL),\n"
	"growth AS (\n"
	"  SELECT 'device ' || s.device_id AS subject, count(*) AS times,\n"
	"    sum(s.reserved_bytes - s.before_bytes) AS grown_bytes, max(s.reserved_bytes) AS "
	"reserved_bytes\n"
	"  FROM sample s\n"
	"  WHERE s.reserved_bytes > s.before_bytes\n"
	"    AND s.ts >= (SELECT min(ts + dur) FROM step WHERE trace_id = :trace_id)\n"
	"  GROUP BY s.device_id\n"
	"  HAVING count(*) >= :min_growth_count),\n"
	"counted AS (\n"
	"  SELECT d.path, d.times, d.total_ns, d.longest_ns FROM side_defragmentation d\n"
	"  WHERE d.trace_id = :trace_id),\n"
	"sees AS (\n"
	"  SELECT min(iif(c.name IN ('memory', 'steps'), c.present, 1)) AS trace_sees\n"
	"  FROM capability c\n"
	"  WHERE c.trace_id = :trace_id),\n"
	"found AS (\n"
	"  SELECT g.subject, g.times, g.grown_bytes, g.reserved_bytes, NULL AS total_ns, NULL AS "
	"longest_ns,\n"
	"    CASE WHEN NOT EXISTS (SELECT 1 FROM counted) THEN NULL\n"
	"      WHEN (SELECT max(times) FROM counted) >= :min_defragmentation_count\n"
	"        THEN 'trace and metrics file agree'\n"
	"      ELSE 'the metrics file counts no defragmentation' END AS compared\n"
	"  FROM growth g\n"
	"  UNION ALL\n"
	"  SELECT c.path, c.times, NULL, NULL, c.total_ns, c.longest_ns,\n"
	"    CASE WHEN NOT v.trace_sees THEN 'the trace cannot show it'\n"
	"      WHEN EXISTS (SELECT 1 FROM growth) THEN 'trace and metrics file agree'\n"
	"      ELSE 'reserved memory does not grow in the trace' END\n"
	"  FROM counted c\n"
	"  JOIN sees v\n"
	"  WHERE c.times >= :min_defragmentation_count)\n"
	"SELECT\n"
	"  f.subject AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  f.times AS count,\n"
	"  f.grown_bytes AS grown_bytes,\n"
	"  f.reserved_bytes AS reserved_peak_bytes,\n"
	"  f.total_ns AS defragmentation_ns,\n"
	"  f.longest_ns AS longest_ns,\n"
	"  f.compared AS compared\n"
	"FROM found f\n"
	"ORDER BY count DESC, subject\n";

const struct tc_heuristic tc_h_memory_defragmentation = {
	.id = "memory-defragmentation",
	.title = "The allocator keeps moving or reserving memory after the start",
	.advice = "Run one step with the longest input first, so that the largest buffers are "
		  "there from the start, and bucket inputs by length.",
	.why = "Each time the allocator asks the device for memory, or gives blocks back "
	       "to merge them, the device must be idle.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (pre-allocate memory for variable input "
		  "length); Intel Gaudi documentation (runtime metrics); thresholds: own.",
};
