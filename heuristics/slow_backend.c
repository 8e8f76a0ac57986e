/*
 * Collectives of device tensors through a backend that goes over the host.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"host_total", "framework_op", "exposed_transfer", "steady",
	"steady_gap", "step", "trace", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 1, 0, 1000000,
		"such collectives per step from which they are told; own choice: one now and then "
		"is a barrier"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH slow AS (\n"
	"  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns, max(exposed_ns) AS exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND (name LIKE 'gloo:%' OR name LIKE 'mpi:%')\n"
	"  GROUP BY name),\n"
	"call AS (\n"
	"  SELECT f.ts, f.ts + f.dur AS until, s.number AS step,\n"
	"    max(f.ts + f.dur) OVER (ORDER BY f.ts, f.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "
	"PRECEDING)\n"
	"      AS before_ts\n"
	"  FROM framework_op f\n"
	"  LEFT JOIN step s ON s.id = f.step_id\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'host_collective'\n"
	"    AND NOT coalesce(s.is_warm_up, 0)),\n"
	"batch AS (\n"
	"  SELECT c.*, sum(c.before_ts IS NULL OR c.before_ts <= c.ts) OVER (ORDER BY c.ts, "
	"c.until\n"
	"    ROWS UNBOUNDED PRECEDING) AS number\n"
	"  FROM call c),\n"
	"wait AS (\n"
	"  SELECT max(b.step) AS step, max(b.until) - max(b.ts) AS ns FROM batch b GROUP BY "
	"b.number),\n"
	"idle AS (\n"
	"  SELECT g.step, sum(g.dur) AS ns FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown')\n"
	"  GROUP BY g.step),\n"
	"held AS (\n"
	"  SELECT total(x.wait_ns) AS wait_ns, total(min(x.wait_ns, coalesce(i.ns, 0))) AS "
	"idle_ns\n"
	"  FROM (SELECT w.step, max(w.ns) AS wait_ns FROM wait w GROUP BY w.step) x\n"
	"  LEFT JOIN idle i ON i.step IS x.step),\n"
	"mark AS (\n"
	"  SELECT c.ts, c.until, 0 AS late_ns FROM call c\n"
	"  UNION ALL\n"
	"  SELECT x.ts, NULL, x.late_ns FROM exposed_transfer x\n"
	"  WHERE x.trace_id = :trace_id AND x.late_ns > 0),\n"
	"placed AS (\n"
	"  SELECT m.ts, m.late_ns, max(m.until) OVER (ORDER BY m.ts, m.until IS NULL\n"
	"    ROWS UNBOUNDED PRECEDING) AS until\n"
	"  FROM mark m),\n"
	"copied AS (\n"
	"  SELECT total(p.late_ns) AS late_ns FROM placed p WHERE p.ts < p.until),\n"
	"share AS (\n"
	"  SELECT s.*, s.dur_ns * 1.0 / (SELECT sum(dur_ns) FROM slow) AS part FROM slow s)\n"
	"SELECT\n"
	"  s.name AS subject,\n"
	"  max(s.exposed_ns, CAST(h.idle_ns * s.part AS INTEGER))\n"
	"    + CAST(c.late_ns * s.part AS INTEGER) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  s.calls AS count,\n"
	"  s.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  s.dur_ns AS collective_ns,\n"
	"  s.exposed_ns AS exposed_ns,\n"
	"  CAST(h.wait_ns * s.part AS INTEGER) AS wait_ns,\n"
	"  CAST(c.late_ns * s.part AS INTEGER) AS exposed_copy_ns,\n"
	"  CAST(c.late_ns * s.part AS INTEGER) AS work_ns,\n"
	"  t.backend AS backend\n"
	"FROM share s\n"
	"JOIN held h\n"
	"JOIN copied c\n"
	"JOIN trace t ON t.id = :trace_id\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT sum(calls) FROM slow) >= :min_per_step_ratio * max(w.step_count, 1)\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_slow_backend = {
	.id = "slow-backend",
	.title = "Collectives go through the host (gloo or MPI)",
	.advice = "Initialise the process group with the backend of the device: {backend}.",
	.why = "Tensors are copied to the host, sent, and copied back, and the device waits.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE | TC_BUCKET_TRANSFER,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide; torch_tb_profiler.",
};
