/*
 * A log or a metrics file counts operations that ran on the CPU; also those outside of the trace,
 * and where the trace cannot show them. One row per operation, with the largest count of all that
 * is told: a file may say the same in lines, in a table and in several dumps.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"fallback_counts", NULL};
static const char *const reads[] = {"side_log", "side_metric", "host_event", NULL};
static const struct tc_param params[] = {
	{"min_count", "count", 1, 1, 1000000000,
		"fallbacks of one operation in the run from which it is told; one per step already "
		"stops the device"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH told AS (\n"
	"  SELECT l.subject AS operation, 'log lines' AS told_by, count(*) AS times\n"
	"  FROM side_log l\n"
	"  WHERE l.trace_id = :trace_id AND l.kind = 'cpu_fallback'\n"
	"  GROUP BY l.source, operation\n"
	"  UNION ALL\n"
	"  SELECT l.subject, 'log table', max(l.count)\n"
	"  FROM side_log l\n"
	"  WHERE l.trace_id = :trace_id AND l.kind = 'cpu_fallback_total'\n"
	"  GROUP BY l.source, l.subject\n"
	"  UNION ALL\n"
	"  SELECT m.item, 'metrics', max(CAST(m.value AS INTEGER))\n"
	"  FROM side_metric m\n"
	"  WHERE m.trace_id = :trace_id AND m.metric = 'cpu_fallback' AND m.name = 'FallbackOps'\n"
	"    AND m.item IS NOT NULL\n"
	"  GROUP BY m.source, m.item),\n"
	"ranked AS (\n"
	"  SELECT t.operation, t.told_by, t.times,\n"
	"    row_number() OVER (PARTITION BY t.operation ORDER BY t.times DESC, t.told_by) AS "
	"place\n"
	"  FROM told t)\n"
	"SELECT\n"
	"  r.operation AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  r.times AS count,\n"
	"  (SELECT count(*) FROM host_event e\n"
	"    WHERE e.trace_id = :trace_id AND e.role = 'cpu_fallback'\n"
	"      AND e.caller = r.operation) AS traced_count,\n"
	"  r.told_by AS told_by\n"
	"FROM ranked r\n"
	"WHERE r.place = 1 AND r.times >= :min_count\n"
	"ORDER BY count DESC, subject\n";

const struct tc_heuristic tc_h_logged_cpu_fallback = {
	.id = "logged-cpu-fallback",
	.title = "Logs or metrics count operations run on the CPU",
	.advice = "Replace the operation by supported ones, or cast its inputs to a supported type "
		  "before it; most frequent first.",
	.why = "Each fallback takes the tensors to the host and back, and the device waits for "
	       "the result.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi documentation (placement of operations, runtime metrics); "
		  "threshold: own.",
};
