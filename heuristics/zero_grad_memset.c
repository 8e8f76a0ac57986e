/*
 * Gradients are filled with zeros instead of being dropped. The gain is the time of the calls with no
 * device at work, and that of the fills on the device.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const part_of[] = {"host-bound", "small-kernels", NULL};
static const char *const reads[] = {"host_total", "busiest_device", "op_total", "steady", NULL};
static const struct tc_param params[] = {
	{"min_zero_per_call_ratio", "ratio", 5, 1, 1000000,
		"fills with zero per zero_grad call, those of new tensors apart, from which they "
		"are told; own choice"},
	{"min_exposed_pct", "pct", 1, 0, 100,
		"time in zero_grad with no device at work, as share of the wall time, from which "
		"it "
		"is told; own choice: where low severity begins"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH zero_grad AS (\n"
	"  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns, max(exposed_ns) AS exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name LIKE 'Optimizer.zero!_grad#%' ESCAPE '!'\n"
	"  GROUP BY name),\n"
	"fill AS (\n"
	"  SELECT sum(CASE WHEN name IN ('aten::zero_', 'aten::_foreach_zero_') THEN count\n"
	"      ELSE 0 - count END) AS fills\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name IN ('aten::zero_', 'aten::_foreach_zero_', "
	"'aten::zeros',\n"
	"    'aten::zeros_like', 'aten::new_zeros')),\n"
	"kernel AS (\n"
	"  SELECT coalesce(sum(o.exclusive_ns), 0) AS exclusive_ns, sum(o.count) AS count\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id AND (o.name LIKE '%FillFunctor%' OR o.name LIKE "
	"'memset%')),\n"
	"filled AS (\n"
	"  SELECT CAST(k.exclusive_ns * min(f.fills * 1.0 / max(k.count, 1), 1) AS INTEGER) AS ns\n"
	"  FROM kernel k JOIN fill f)\n"
	"SELECT\n"
	"  z.name AS subject,\n"
	"  z.exposed_ns + CAST(k.ns * 1.0 * z.calls / (SELECT sum(calls) FROM zero_grad) AS "
	"INTEGER)\n"
	"    AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  z.calls AS count,\n"
	"  f.fills * 1.0 / z.calls AS fills_per_call_ratio,\n"
	"  z.dur_ns AS zero_grad_ns,\n"
	"  z.exposed_ns AS exposed_ns,\n"
	"  k.ns AS fill_ns,\n"
	"  CAST(k.ns * 1.0 * z.calls / (SELECT sum(calls) FROM zero_grad) AS INTEGER) AS work_ns\n"
	"FROM zero_grad z\n"
	"JOIN fill f\n"
	"JOIN filled k\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE f.fills >= :min_zero_per_call_ratio * (SELECT sum(calls) FROM zero_grad)\n"
	"  AND (SELECT sum(exposed_ns) FROM zero_grad) * 100.0 >= :min_exposed_pct * w.wall_ns\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_zero_grad_memset = {
	.id = "zero-grad-memset",
	.title = "Gradients are set to zero one by one",
	.advice = "Call zero_grad(set_to_none=True), which is the default of newer PyTorch "
		  "versions.",
	.why = "One fill per parameter, and backward then adds to the zeros instead of storing its "
	       "result.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE | TC_BUCKET_COPY | TC_BUCKET_HOST,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (set gradients to None); threshold: own.",
};
