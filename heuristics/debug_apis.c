/*
 * Debugging aids that are left on. One row per aid.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const part_of[] = {"host-bound", "device-sync", NULL};
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
	"  SELECT f.id, f.name, f.ts, f.ts + f.dur AS end_ts, f.exclusive_ns, s.number AS step\n"
	"  FROM framework_op f\n"
	"  LEFT JOIN step s ON s.id = f.step_id\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'check' AND NOT coalesce(s.is_warm_up, 0)),\n"
	"call AS (\n"
	"  SELECT c.id, c.ts, c.end_ts FROM checked c\n"
	"  UNION ALL\n"
	"  SELECT NULL, h.ts, h.ts + h.dur FROM steady_host_event h\n"
	"  WHERE h.trace_id = :trace_id AND h.role IN ('output_copy', 'sync')),\n"
	"answer AS (\n"
	"  SELECT c.id, c.ts, c.end_ts, lead(c.id) OVER next AS next_id, lead(c.ts) OVER next AS "
	"next_ts,\n"
	"    lead(c.end_ts) OVER next AS next_end_ts\n"
	"  FROM call c\n"
	"  WINDOW next AS (ORDER BY c.ts, c.end_ts DESC, c.id)),\n"
	"span AS (\n"
	"  SELECT c.id, c.name, c.step, c.exclusive_ns, c.ts,\n"
	"    max(c.end_ts, iif(a.next_id IS NULL AND a.next_ts - c.end_ts <= :max_delay_ns, "
	"a.next_end_ts,\n"
	"      c.end_ts)) AS until\n"
	"  FROM checked c\n"
	"  JOIN answer a ON a.id = c.id),\n"
	"mark AS (\n"
	"  SELECT s.ts AS at, s.id, s.step, s.until, 0 AS is_wait, 0 AS idle_ns FROM span s\n"
	"  UNION ALL\n"
	"  SELECT b.ts, NULL, b.step, NULL, 1, 0 FROM host_block b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind <> 'dataloader'\n"
	"  UNION ALL\n"
	"  SELECT g.ts + g.dur, NULL, g.step, NULL, 0, g.dur FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown', 'collective')),\n"
	"inside AS (\n"
	"  SELECT m.*, max(m.until) OVER (ORDER BY m.at, m.id IS NULL, m.id ROWS UNBOUNDED "
	"PRECEDING)\n"
	"    AS open_until\n"
	"  FROM mark m),\n"
	"turn AS (\n"
	"  SELECT i.*, sum(i.is_wait AND coalesce(i.open_until, 0) <= i.at)\n"
	"    OVER (ORDER BY i.at, i.id IS NULL, i.id ROWS UNBOUNDED PRECEDING) AS waits\n"
	"  FROM inside i),\n"
	"idle AS (\n"
	"  SELECT t.step, t.waits, sum(t.idle_ns) AS idle_ns,\n"
	"    sum(iif(t.id IS NULL, 0, t.until - t.at)) AS span_ns\n"
	"  FROM turn t\n"
	"  GROUP BY t.step, t.waits),\n"
	"cost AS (\n"
	"  SELECT s.name, s.until - s.ts AS ns, s.exclusive_ns,\n"
	"    min(i.idle_ns, i.span_ns) * 1.0 * (s.until - s.ts) / max(i.span_ns, 1) AS idle_ns\n"
	"  FROM turn t\n"
	"  JOIN span s ON s.id = t.id\n"
	"  JOIN idle i ON i.step IS t.step AND i.waits = t.waits),\n"
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
	"  iif(a.is_check, CAST(total(c.idle_ns) + total(c.exclusive_ns) AS INTEGER), "
	"a.exposed_ns) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  a.calls AS count,\n"
	"  a.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  coalesce(sum(c.ns), a.dur_ns) AS host_ns,\n"
	"  sum(c.exclusive_ns) AS device_ns,\n"
	"  coalesce(sum(c.exclusive_ns), 0) AS work_ns\n"
	"FROM aid a\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"LEFT JOIN cost c ON c.name = a.name\n"
	"WHERE NOT a.is_check OR (SELECT sum(x.calls) FROM aid x WHERE x.is_check AND NOT "
	"x.is_answer)\n"
	"  >= :min_check_per_step_ratio * max(w.step_count, 1)\n"
	"GROUP BY a.name\n"
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
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (disable debugging APIs); threshold: own.",
};
