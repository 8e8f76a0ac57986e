/*
 * Operations that fill a tensor on the CPU, each directly followed by a copy of it to the device.
 * One row per operation.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"framework_op", "host_event", "steady", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 1, 0, 1000000,
		"such tensors per step from which they are told; own choice: one in each "
		"step"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH made AS (\n"
	"  SELECT f.previous AS maker, f.input_dims -> '$[0]' AS size, f.dur, f.launch_slice_id,\n"
	"    f.previous_size, f.previous_dur AS make_ns, coalesce(f.exclusive_ns, 0) AS "
	"exclusive_ns\n"
	"  FROM framework_op f\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'copy' AND f.input_copy_count > 0\n"
	"    AND f.previous_is_host\n"
	"    AND f.previous IN ('aten::zeros', 'aten::ones', 'aten::full', 'aten::rand', "
	"'aten::randn',\n"
	"      'aten::randint', 'aten::randperm', 'aten::arange', 'aten::linspace', 'aten::eye',\n"
	"      'aten::zeros_like', 'aten::ones_like', 'aten::full_like', 'aten::rand_like',\n"
	"      'aten::randn_like', 'aten::normal', 'aten::normal_', 'aten::uniform_', "
	"'aten::random_',\n"
	"      'aten::bernoulli_', 'aten::exponential_', 'aten::fill_', 'aten::zero_')),\n"
	"moved AS (\n"
	"  SELECT m.maker, m.size, m.make_ns, m.exclusive_ns + coalesce(e.exposed_ns, 0) AS "
	"cost_ns, m.dur\n"
	"  FROM made m\n"
	"  LEFT JOIN host_event e ON e.trace_id = :trace_id AND e.slice_id = m.launch_slice_id\n"
	"    AND e.role = 'input_copy'\n"
	"  WHERE m.size IS NULL OR m.previous_size IS NULL OR m.previous_size = m.size)\n"
	"SELECT\n"
	"  m.maker AS subject,\n"
	"  sum(m.cost_ns) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  count(*) AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  sum(m.dur) AS copy_ns,\n"
	"  sum(m.make_ns) AS host_ns,\n"
	"  max(m.size) AS example_size\n"
	"FROM moved m\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT count(*) FROM moved) >= :min_per_step_ratio * max(w.step_count, 1)\n"
	"GROUP BY m.maker\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_cpu_created_tensors = {
	.id = "cpu-created-tensors",
	.title = "Tensors are made on the CPU and then copied to the device",
	.advice = "Create the tensor where it is used: pass device= to the call that makes "
		  "it.",
	.why = "The CPU fills the tensor, the copy from pageable memory holds the host up, "
	       "and the device could have filled it by itself in no time.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_WALL,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (create tensors on the target device); "
		  "the pattern matcher of the PyTorch profiler (extra copy to the device); "
		  "threshold: own.",
};
