/*
 * Operations that the device lacks run on the CPU, with their tensors copied there and back. Told
 * by the bridge's mark, by a copy down and a copy up within one operation, or by the counts of
 * side files. One row per operation.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"fallbacks", NULL};
static const char *const reads[] = {
	"host_block", "steady", "side_fallback", "host_event", "capability", NULL};
static const struct tc_param params[] = {
	{"min_count", "count", 1, 1, 1000000,
		"fallbacks in the trace, warm-up apart, or of one operation in a side file, "
		"from which they are told; one per step already stops the device"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH half AS (\n"
	"  SELECT b.caller, b.name, b.role, b.dur, b.python, b.cost_ns + b.exposed_ns AS cost_ns\n"
	"  FROM host_block b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind = 'cpu_fallback'),\n"
	"traced AS (\n"
	"  SELECT coalesce(nullif(h.caller, ''), h.name) AS operation,\n"
	"    sum(h.role <> 'input_copy') AS times, sum(h.dur) AS dur_ns, sum(h.cost_ns) AS "
	"cost_ns,\n"
	"    min(h.name) AS host_call, min(h.python) AS python,\n"
	"    max(h.role = 'cpu_fallback') AS is_marked\n"
	"  FROM half h\n"
	"  GROUP BY operation\n"
	"  HAVING sum(h.role <> 'input_copy') > 0 AND (SELECT sum(role <> 'input_copy') FROM half) "
	">= :min_count),\n"
	"told AS (\n"
	"  SELECT s.operation, s.told_by, s.times,\n"
	"    (SELECT count(*) FROM host_event e\n"
	"      WHERE e.trace_id = :trace_id AND e.role = 'cpu_fallback' AND e.caller = "
	"s.operation)\n"
	"      AS marked_count\n"
	"  FROM side_fallback s\n"
	"  WHERE s.trace_id = :trace_id AND s.times >= :min_count),\n"
	"sees AS (\n"
	"  SELECT max(iif(c.name = 'bridge', c.present, 0)) AS trace_sees,\n"
	"    max(iif(c.name = 'fallback_counts', c.present, 0)) AS files_see\n"
	"  FROM capability c\n"
	"  WHERE c.trace_id = :trace_id),\n"
	"joined AS (\n"
	"  SELECT t.operation, t.cost_ns, t.times, t.dur_ns, t.host_call, t.python,\n"
	"    CASE WHEN t.is_marked OR s.times > 0 THEN 'measured' ELSE 'inferred' END AS "
	"confidence,\n"
	"    s.times AS logged_count, s.told_by, s.marked_count\n"
	"  FROM traced t\n"
	"  LEFT JOIN told s ON s.operation = t.operation\n"
	"  UNION ALL\n"
	"  SELECT s.operation, NULL, NULL, NULL, NULL, NULL, 'measured', s.times, s.told_by, "
	"s.marked_count\n"
	"  FROM told s\n"
	"  WHERE s.operation NOT IN (SELECT operation FROM traced))\n"
	"SELECT\n"
	"  j.operation AS subject,\n"
	"  j.cost_ns AS gain_ns,\n"
	"  j.confidence AS confidence,\n"
	"  coalesce(j.times, j.logged_count) AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN j.times * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  j.dur_ns AS blocked_ns,\n"
	"  j.cost_ns / j.times AS mean_cost_ns,\n"
	"  j.host_call AS host_call,\n"
	"  j.python AS python,\n"
	"  j.logged_count AS logged_count,\n"
	"  j.told_by AS told_by,\n"
	"  CASE WHEN j.logged_count IS NULL THEN iif(v.files_see, 'the files do not name it', "
	"NULL)\n"
	"    WHEN j.times IS NULL AND NOT v.trace_sees THEN 'the trace cannot show it'\n"
	"    WHEN j.times IS NULL AND j.marked_count = 0 THEN 'the trace has none'\n"
	"    WHEN j.times IS NULL THEN 'the trace has them in warm-up only'\n"
	"    WHEN j.logged_count < j.times THEN 'the files count fewer than the trace'\n"
	"    ELSE 'trace and files agree' END AS compared\n"
	"FROM joined j\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"JOIN sees v\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_cpu_fallback = {
	.id = "cpu-fallback",
	.title = "Operations fall back to the CPU",
	.advice = "Replace the operation by supported ones, or cast its inputs to a supported "
		  "type before it; if it must stay, take it out of the step.",
	.why = "The tensors go to the host and back, and the device has nothing to do "
	       "until the result is there again.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_HELD | TC_BUCKET_TRANSFER,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (placement of operations on the HPU); Intel "
		  "Gaudi documentation (runtime metrics).",
};
