/*
 * Operations that fill a tensor on the CPU, each directly followed by a copy of it to the device.
 * One row per operation.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const part_of[] = {"input-copy-blocking", "device-sync", NULL};
static const char *const reads[] = {
	"framework_op", "steady", "steady_gap", "steady_host_event", "step", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 1, 0, 1000000,
		"such tensors per step from which they are told; own choice: one in each "
		"step"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH mark AS (\n"
	"  SELECT f.id, f.ts, f.ts + f.dur AS end_ts, 0 AS transfer_ns\n"
	"  FROM framework_op f\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'copy' AND f.previous_is_host\n"
	"    AND f.previous IN ('aten::zeros', 'aten::ones', 'aten::full', 'aten::rand', "
	"'aten::randn',\n"
	"      'aten::randint', 'aten::randperm', 'aten::arange', 'aten::linspace', 'aten::eye',\n"
	"      'aten::zeros_like', 'aten::ones_like', 'aten::full_like', 'aten::rand_like',\n"
	"      'aten::randn_like', 'aten::normal', 'aten::normal_', 'aten::uniform_', "
	"'aten::random_',\n"
	"      'aten::bernoulli_', 'aten::exponential_', 'aten::fill_', 'aten::zero_')\n"
	"  UNION ALL\n"
	"  SELECT NULL, h.ts, h.ts + h.dur, h.transfer_ns FROM steady_host_event h\n"
	"  WHERE h.trace_id = :trace_id AND (h.role = 'input_copy' OR h.role = 'sync' AND "
	"h.in_copy)),\n"
	"waited AS (\n"
	"  SELECT m.id, m.end_ts, lead(m.id) OVER next AS next_id, lead(m.ts) OVER next AS "
	"next_ts,\n"
	"    lead(m.transfer_ns) OVER next AS transfer_ns\n"
	"  FROM mark m\n"
	"  WINDOW next AS (ORDER BY m.ts, m.end_ts DESC, m.id)),\n"
	"made AS (\n"
	"  SELECT f.previous AS maker, f.input_dims -> '$[0]' AS size, f.dur, f.previous_size,\n"
	"    coalesce(f.previous_dur, 0) AS make_ns, f.exclusive_ns, s.number AS step,\n"
	"    iif(a.next_id IS NULL AND a.next_ts < a.end_ts, a.transfer_ns, NULL) AS transfer_ns\n"
	"  FROM waited a\n"
	"  JOIN framework_op f ON f.id = a.id\n"
	"  LEFT JOIN step s ON s.id = f.step_id\n"
	"  WHERE NOT coalesce(s.is_warm_up, 0)\n"
	"    AND (f.input_copy_count > 0\n"
	"      OR f.launch_count = 0 AND a.next_id IS NULL AND a.next_ts < a.end_ts)),\n"
	"moved AS (\n"
	"  SELECT m.*, m.make_ns + m.dur AS span_ns, sum(m.make_ns + m.dur) OVER step AS step_ns\n"
	"  FROM made m\n"
	"  WHERE m.size IS NULL OR m.previous_size IS NULL OR m.previous_size = m.size\n"
	"  WINDOW step AS (PARTITION BY m.step)),\n"
	"idle AS (\n"
	"  SELECT g.step, sum(g.dur) AS ns FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown', 'collective')\n"
	"  GROUP BY g.step),\n"
	"cost AS (\n"
	"  SELECT m.*, min(coalesce(i.ns, 0), m.step_ns) * 1.0 * m.span_ns / max(m.step_ns, 1) AS "
	"idle_ns,\n"
	"    coalesce(m.exclusive_ns, m.transfer_ns, 0) AS copy_ns\n"
	"  FROM moved m\n"
	"  LEFT JOIN idle i ON i.step IS m.step)\n"
	"SELECT\n"
	"  c.maker AS subject,\n"
	"  CAST(sum(c.idle_ns) + sum(c.copy_ns) AS INTEGER) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  count(*) AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  sum(c.dur) AS copy_ns,\n"
	"  sum(c.make_ns) AS host_ns,\n"
	"  CAST(sum(c.idle_ns) AS INTEGER) AS idle_ns,\n"
	"  sum(c.copy_ns) AS work_ns,\n"
	"  max(c.size) AS example_size\n"
	"FROM cost c\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT count(*) FROM moved) >= :min_per_step_ratio * max(w.step_count, 1)\n"
	"GROUP BY c.maker\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_cpu_created_tensors = {
	.id = "cpu-created-tensors",
	.title = "Tensors are made on the CPU and then copied to the device",
	.advice = "Create the tensor where it is used: pass device= to the call that makes "
		  "it.",
	.why = "The CPU fills the tensor, the copy from pageable memory holds the host up, "
	       "and the device could have filled it by itself in no time.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE | TC_BUCKET_COPIES,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (create tensors on the target device); "
		  "the pattern matcher of the PyTorch profiler (extra copy to the device); "
		  "threshold: own.",
};
