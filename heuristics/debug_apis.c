/*
 * Debugging aids that are left on. One row per aid.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"framework_op", "host_block", "host_total", "steady",
	"steady_gap", "steady_host_event", "step", NULL};
static const struct tc_param params[] = {
	{"min_check_per_step_ratio", "ratio", 10, 1, 1000000,
		"checks for NaN or infinity per step from which they are told; own choice: one or "
		"two are a loss check"},
	{"max_delay_ns", "ns", 1000000, 0, 10000000000,
		"time from the end of a check to the start of the call that reads its answer "
		"within "
		"which they belong together; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH checked AS (\n"
	"  SELECT f.id, f.name, f.ts, f.ts + f.dur AS end_ts, f.thread_id, f.exclusive_ns\n"
	"  FROM framework_op f\n"
	"  LEFT JOIN step s ON s.id = f.step_id\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'check' AND NOT coalesce(s.is_warm_up, 0)),\n"
	"call AS (\n"
	"  SELECT c.id, c.thread_id, c.ts, c.end_ts FROM checked c\n"
	"  UNION ALL\n"
	"  SELECT NULL, h.thread_id, h.ts, h.ts + h.dur FROM steady_host_event h\n"
	"  WHERE h.trace_id = :trace_id AND h.role IN ('output_copy', 'sync')),\n"
	"answer AS (\n"
	"  SELECT c.id, c.ts, c.end_ts, lead(c.ts) OVER next AS next_ts,\n"
	"    iif(lead(c.id) OVER next IS NULL, lead(c.end_ts) OVER next, NULL) AS answer_ts\n"
	"  FROM call c\n"
	"  WINDOW next AS (PARTITION BY c.thread_id ORDER BY c.ts, c.id)),\n"
	"span AS (\n"
	"  SELECT a.id, a.ts, iif(a.next_ts - a.end_ts <= :max_delay_ns,\n"
	"    max(a.end_ts, coalesce(a.answer_ts, a.end_ts)), a.end_ts) AS until\n"
	"  FROM answer a\n"
	"  WHERE a.id IS NOT NULL),\n"
	"mark AS (\n"
	"  SELECT s.ts AS at, s.id, s.until, NULL AS idle_ns FROM span s\n"
	"  UNION ALL\n"
	"  SELECT b.ts, NULL, NULL, NULL FROM host_block b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind <> 'dataloader'\n"
	"  UNION ALL\n"
	"  SELECT g.ts + g.dur, NULL, NULL, g.dur FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.count = 1 AND g.cause NOT IN ('queued', "
	"'unknown')),\n"
	"inside AS (\n"
	"  SELECT m.*, max(m.until) OVER past > m.at AS is_inside\n"
	"  FROM mark m\n"
	"  WINDOW past AS (ORDER BY m.at, m.id IS NULL, m.id ROWS UNBOUNDED PRECEDING)),\n"
	"turn AS (\n"
	"  SELECT i.*, sum(i.id IS NOT NULL OR i.idle_ns IS NULL AND NOT i.is_inside)\n"
	"    OVER (ORDER BY i.at, i.id IS NULL, i.id ROWS UNBOUNDED PRECEDING) AS place\n"
	"  FROM inside i),\n"
	"held AS (\n"
	"  SELECT max(t.id) AS id, max(t.until) - max(iif(t.id IS NULL, NULL, t.at)) AS span_ns,\n"
	"    coalesce(sum(t.idle_ns), 0) AS idle_ns\n"
	"  FROM turn t\n"
	"  GROUP BY t.place),\n"
	"cost AS (\n"
	"  SELECT c.name, sum(min(h.idle_ns, h.span_ns) + coalesce(c.exclusive_ns, 0)) AS "
	"gain_ns,\n"
	"    sum(h.span_ns) AS span_ns, sum(c.exclusive_ns) AS device_ns\n"
	"  FROM checked c\n"
	"  JOIN held h ON h.id = c.id\n"
	"  GROUP BY c.name),\n"
	"aid AS (\n"
	"  SELECT h.name, sum(h.count) AS calls, sum(h.dur_ns) AS dur_ns, max(h.exposed_ns) AS "
	"exposed_ns,\n"
	"    h.name LIKE 'aten::%' AS is_check, h.name LIKE 'aten::!_%' ESCAPE '!' AS is_answer\n"
	"  FROM host_total h\n"
	"  WHERE h.trace_id = :trace_id\n"
	"    AND (h.name IN ('aten::isnan', 'aten::isinf', 'aten::isfinite', "
	"'aten::_is_any_true',\n"
	"        'aten::_is_all_true')\n"
	"      OR h.name LIKE '%anomaly_mode.py%' OR h.name LIKE '%autograd/gradcheck.py%'\n"
	"      OR h.name LIKE '%emit_nvtx%')\n"
	"  GROUP BY h.name)\n"
	"SELECT\n"
	"  a.name AS subject,\n"
	"  iif(a.is_check, coalesce(c.gain_ns, 0), a.exposed_ns) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  a.calls AS count,\n"
	"  a.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  coalesce(c.span_ns, a.dur_ns) AS host_ns,\n"
	"  c.device_ns AS device_ns\n"
	"FROM aid a\n"
	"LEFT JOIN cost c ON c.name = a.name\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE NOT a.is_check OR (SELECT sum(x.calls) FROM aid x WHERE x.is_check AND NOT "
	"x.is_answer)\n"
	"  >= :min_check_per_step_ratio * max(w.step_count, 1)\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_debug_apis = {
	.id = "debug-apis",
	.title = "Debugging aids are switched on",
	.advice = "Switch off detect_anomaly, gradcheck, emit_nvtx and per-operation checks for "
		  "NaN in normal runs.",
	.why = "They check every operation and often read its result back.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE | TC_BUCKET_COMPUTE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (disable debugging APIs); threshold: own.",
};
