/*
 * The allocator takes more memory from the device again and again after the first step: sizes
 * change, and what is free does not fit.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"memory", "steps", NULL};
static const char *const reads[] = {"memory_sample", "step", NULL};
static const struct tc_param params[] = {
	{"min_growth_count", "count", 3, 1, 1000000,
		"times that reserved memory grows after the first complete step from which it is "
		"told; own choice"},
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
	"  SELECT s.device_id, s.reserved_bytes - s.before_bytes AS grown_bytes, s.reserved_bytes\n"
	"  FROM sample s\n"
	"  WHERE s.reserved_bytes > s.before_bytes\n"
	"    AND s.ts >= (SELECT min(ts + dur) FROM step WHERE trace_id = :trace_id))\n"
	"SELECT\n"
	"  'device ' || g.device_id AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  count(*) AS count,\n"
	"  sum(g.grown_bytes) AS grown_bytes,\n"
	"  max(g.reserved_bytes) AS reserved_peak_bytes\n"
	"FROM growth g\n"
	"GROUP BY g.device_id\n"
	"HAVING count(*) >= :min_growth_count\n"
	"ORDER BY count DESC, subject\n";

const struct tc_heuristic tc_h_memory_defragmentation = {
	.id = "memory-defragmentation",
	.title = "The allocator keeps reserving memory after the first step",
	.advice = "Run one step with the longest input first, so that the largest buffers are "
		  "there from the start, and bucket inputs by length.",
	.why = "Each time the allocator asks the device for memory, or gives blocks back to merge "
	       "them, the device must be idle.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (pre-allocate memory for variable input "
		  "length); threshold: own.",
};
