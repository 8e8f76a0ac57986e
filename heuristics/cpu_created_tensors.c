/*
 * Operations that fill a tensor on the CPU, each directly followed by a copy of it to the device.
 * One row per operation.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {
	"framework_op", "host_block", "steady", "steady_gap", "step", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 1, 0, 1000000,
		"such tensors per step from which they are told; own choice: one in each "
		"step"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH made AS (\n"
	"  SELECT f.id, f.previous AS maker, f.input_dims -> '$[0]' AS size, f.ts, f.dur, "
	"f.launch_slice_id,\n"
	"    f.previous_size, coalesce(f.previous_dur, 0) AS make_ns, f.exclusive_ns\n"
	"  FROM framework_op f\n"
	"  LEFT JOIN step s ON s.id = f.step_id\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'copy' AND f.input_copy_count > 0\n"
	"    AND f.previous_is_host AND NOT coalesce(s.is_warm_up, 0)\n"
	"    AND f.previous IN ('aten::zeros', 'aten::ones', 'aten::full', 'aten::rand', "
	"'aten::randn',\n"
	"      'aten::randint', 'aten::randperm', 'aten::arange', 'aten::linspace', 'aten::eye',\n"
	"      'aten::zeros_like', 'aten::ones_like', 'aten::full_like', 'aten::rand_like',\n"
	"      'aten::randn_like', 'aten::normal', 'aten::normal_', 'aten::uniform_', "
	"'aten::random_',\n"
	"      'aten::bernoulli_', 'aten::exponential_', 'aten::fill_', 'aten::zero_')),\n"
	"moved AS (\n"
	"  SELECT m.* FROM made m\n"
	"  WHERE m.size IS NULL OR m.previous_size IS NULL OR m.previous_size = m.size),\n"
	"mark AS (\n"
	"  SELECT m.ts - m.make_ns AS at, m.id, m.ts + m.dur AS until, NULL AS idle_ns, 0 AS "
	"copy_ns\n"
	"  FROM moved m\n"
	"  UNION ALL\n"
	"  SELECT b.ts, NULL, NULL, NULL, b.transfer_ns FROM host_block b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind <> 'dataloader'\n"
	"  UNION ALL\n"
	"  SELECT g.ts + g.dur, NULL, NULL, g.dur, 0 FROM steady_gap g\n"
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
	"  SELECT max(t.id) AS id, coalesce(sum(t.idle_ns), 0) AS idle_ns, sum(t.copy_ns) AS "
	"copy_ns\n"
	"  FROM turn t\n"
	"  GROUP BY t.place),\n"
	"cost AS (\n"
	"  SELECT m.maker, m.size, m.dur, m.make_ns, h.idle_ns,\n"
	"    min(h.idle_ns, m.make_ns + m.dur) + coalesce(m.exclusive_ns, h.copy_ns) AS cost_ns\n"
	"  FROM moved m\n"
	"  JOIN held h ON h.id = m.id)\n"
	"SELECT\n"
	"  c.maker AS subject,\n"
	"  sum(c.cost_ns) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  count(*) AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  sum(c.dur) AS copy_ns,\n"
	"  sum(c.make_ns) AS host_ns,\n"
	"  sum(c.idle_ns) AS idle_ns,\n"
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
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (create tensors on the target device); "
		  "the pattern matcher of the PyTorch profiler (extra copy to the device); "
		  "threshold: own.",
};
