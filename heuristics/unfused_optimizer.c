/*
 * The optimizer updates every parameter with several small operations. The gain is the host time
 * in it with no device at work, and the device time of the operations that a fused form would not
 * run one by one. One row per optimizer.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const part_of[] = {"host-bound", "small-kernels", NULL};
static const char *const reads[] = {"host_total", "busiest_device", "op_total", NULL};
static const struct tc_param params[] = {
	{"min_op_count", "count", 50, 1, 1000000,
		"small update operations per optimizer step from which they are told; own choice"},
	{"kept_ratio", "ratio", 0.1, 0, 1,
		"part of the exposed host time and of the kernels' time that a fused optimizer "
		"still takes; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH optimizer AS (\n"
	"  SELECT name, sum(count) AS steps, CAST(total(dur_ns) AS INTEGER) AS dur_ns,\n"
	"    max(exposed_ns) AS exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name LIKE 'Optimizer.step#%'\n"
	"  GROUP BY name),\n"
	"small AS (\n"
	"  SELECT sum(count) AS ops, max(name) AS example\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id\n"
	"    AND name IN ('aten::addcdiv_', 'aten::addcmul_', 'aten::lerp_', 'aten::addcdiv',\n"
	"      'aten::addcmul')),\n"
	"kernel AS (\n"
	"  SELECT coalesce(sum(k.exclusive_ns), 0) AS exclusive_ns\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total k ON k.trace_id = d.trace_id AND k.device = d.device\n"
	"  WHERE d.trace_id = :trace_id\n"
	"    AND (k.name LIKE '%addcdiv%' OR k.name LIKE '%addcmul%' OR k.name LIKE '%lerp%')),\n"
	"fused AS (\n"
	"  SELECT count(*) AS names FROM host_total\n"
	"  WHERE trace_id = :trace_id\n"
	"    AND (name LIKE 'aten::!_fused!_%' ESCAPE '!' OR name LIKE 'aten::!_foreach!_addc%' "
	"ESCAPE '!'\n"
	"      OR name LIKE 'optimizer!_%hpu!_lazy%' ESCAPE '!' OR name LIKE 'hpu::optimizer!_%' "
	"ESCAPE '!'\n"
	"      OR name LIKE '%multi!_tensor!_apply%' ESCAPE '!'))\n"
	"SELECT\n"
	"  o.name AS subject,\n"
	"  CAST((o.exposed_ns + k.exclusive_ns * 1.0 * o.steps / (SELECT sum(steps) FROM "
	"optimizer))\n"
	"    * (1 - :kept_ratio) AS INTEGER) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  o.steps AS count,\n"
	"  s.ops * 1.0 / o.steps AS ops_per_step_ratio,\n"
	"  s.example AS example,\n"
	"  o.dur_ns AS optimizer_ns,\n"
	"  o.dur_ns / o.steps AS mean_step_ns,\n"
	"  o.exposed_ns AS exposed_ns,\n"
	"  k.exclusive_ns AS kernel_ns,\n"
	"  CAST(k.exclusive_ns * 1.0 * o.steps / (SELECT sum(steps) FROM optimizer)\n"
	"    * (1 - :kept_ratio) AS INTEGER) AS work_ns\n"
	"FROM optimizer o\n"
	"JOIN small s\n"
	"JOIN kernel k\n"
	"JOIN fused f\n"
	"WHERE f.names = 0 AND s.ops >= :min_op_count * (SELECT sum(steps) FROM optimizer)\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_unfused_optimizer = {
	.id = "unfused-optimizer",
	.title = "The optimizer runs as many small operations",
	.advice = "Use the fused optimizer: {fused_optimizer}.",
	.why = "A model has hundreds of parameters; an operation or five for each is a long queue "
	       "of tiny work that the host must feed.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE | TC_BUCKET_HOST | TC_BUCKET_HELD,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (fused operators); PyTorch performance tuning "
		  "guide (fused optimizers); thresholds: own.",
};
