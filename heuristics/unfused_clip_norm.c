/*
 * The gradient norm is computed parameter by parameter. The gain is the host time in it with no
 * device at work, and the device time of the norm kernels.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const part_of[] = {"host-bound", "small-kernels", NULL};
static const char *const reads[] = {"host_total", "busiest_device", "op_total", "steady", NULL};
static const struct tc_param params[] = {
	{"min_norm_per_step_ratio", "ratio", 10, 1, 1000000,
		"norm operations per step from which they are told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH norm AS (\n"
	"  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns, max(exposed_ns) AS exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name IN ('aten::norm', 'aten::linalg_vector_norm')\n"
	"  GROUP BY name),\n"
	"kernel AS (\n"
	"  SELECT coalesce(sum(k.exclusive_ns), 0) AS exclusive_ns\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total k ON k.trace_id = d.trace_id AND k.device = d.device\n"
	"  WHERE d.trace_id = :trace_id\n"
	"    AND (k.name LIKE '%NormTwoOps%' OR k.name LIKE '%NormOps%' OR k.name LIKE '%LpNorm%'\n"
	"      OR lower(k.name) LIKE 'reduce!_l2%' ESCAPE '!')),\n"
	"fused AS (\n"
	"  SELECT count(*) AS names FROM host_total\n"
	"  WHERE trace_id = :trace_id\n"
	"    AND (name LIKE 'fused!_norm!_hpu!_lazy%' ESCAPE '!' OR name = 'aten::_foreach_norm'\n"
	"      OR name IN ('hpu::fused_clip_norm', 'hpu::optimizer_lamb_fused_norm')))\n"
	"SELECT\n"
	"  n.name AS subject,\n"
	"  n.exposed_ns + k.exclusive_ns * n.calls / (SELECT sum(calls) FROM norm) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  n.calls AS count,\n"
	"  n.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  n.dur_ns AS host_ns,\n"
	"  k.exclusive_ns AS kernel_ns,\n"
	"  k.exclusive_ns * n.calls / (SELECT sum(calls) FROM norm) AS work_ns\n"
	"FROM norm n\n"
	"JOIN kernel k\n"
	"JOIN fused f\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE f.names = 0\n"
	"  AND n.calls >= :min_norm_per_step_ratio * max(w.step_count, 1)\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_unfused_clip_norm = {
	.id = "unfused-clip-norm",
	.title = "Gradient clipping computes one norm per parameter",
	.advice = "Use {fused_clip}.",
	.why = "Hundreds of tiny norms, and the copies that stack them, keep the host busy between "
	       "backward and the optimizer.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE | TC_BUCKET_HOST | TC_BUCKET_HELD,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (FusedClipNorm); threshold: own.",
};
