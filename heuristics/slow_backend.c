/*
 * Collectives of device tensors through a backend that goes over the host.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {
	"host_total", "framework_op", "exposed_transfer", "trace", "steady", NULL};
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
	"mark AS (\n"
	"  SELECT f.ts, f.ts + f.dur AS until, 0 AS late_ns\n"
	"  FROM framework_op f\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'host_collective'\n"
	"  UNION ALL\n"
	"  SELECT x.ts, NULL, x.late_ns FROM exposed_transfer x\n"
	"  WHERE x.trace_id = :trace_id AND x.late_ns > 0),\n"
	"placed AS (\n"
	"  SELECT m.ts, m.late_ns, max(m.until) OVER (ORDER BY m.ts, m.until IS NULL\n"
	"    ROWS UNBOUNDED PRECEDING) AS until\n"
	"  FROM mark m),\n"
	"copied AS (\n"
	"  SELECT coalesce(sum(p.late_ns), 0) AS late_ns FROM placed p WHERE p.ts < p.until)\n"
	"SELECT\n"
	"  s.name AS subject,\n"
	"  s.exposed_ns\n"
	"    + CAST(c.late_ns * 1.0 * s.dur_ns / (SELECT sum(dur_ns) FROM slow) AS INTEGER) AS "
	"gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  s.calls AS count,\n"
	"  s.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  s.dur_ns AS collective_ns,\n"
	"  s.exposed_ns AS exposed_ns,\n"
	"  c.late_ns AS exposed_copy_ns,\n"
	"  t.backend AS backend\n"
	"FROM slow s\n"
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
