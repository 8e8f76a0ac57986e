/*
 * Matrix kernels in single precision, told by their names: those of cuBLAS,
 * CUTLASS and rocBLAS. What mme-low-precision is for Gaudi. One row per kernel.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"busiest_device", "op_total", NULL};
static const struct tc_param params[] = {
	{"min_fp32_pct", "pct", 10, 0, 100,
		"time of such kernels as share of the busy time from which it is told; own choice"},
	{"max_low_precision_pct", "pct", 50, 0, 100,
		"share of the matrix kernel time in low precision below which it is told; own "
		"choice"},
	{"saved_ratio", "ratio", 0.5, 0, 1,
		"part of their time that lower precision saves; own choice, careful: the peak "
		"rates differ by more"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH gemm AS (\n"
	"  SELECT o.name, sum(o.count) AS ops, sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns,\n"
	"    d.device,\n"
	"    o.name LIKE '%sgemm%' OR o.name LIKE '%f32f32!_f32f32!_f32%' ESCAPE '!'\n"
	"      OR o.name LIKE '%!_simt!_sgemm%' ESCAPE '!' OR o.name LIKE '%!_ffma%' ESCAPE '!'\n"
	"      OR o.name LIKE 'Cijk!_%!_SB!_%' ESCAPE '!' AS is_fp32\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id AND o.engine = 'compute'\n"
	"    AND (o.name LIKE '%gemm%' OR o.name LIKE '%cutlass%' OR o.name LIKE 'Cijk!_%' ESCAPE "
	"'!'\n"
	"      OR o.name LIKE '%!_ffma%' ESCAPE '!')\n"
	"  GROUP BY o.name, d.busy_ns, d.device),\n"
	"total AS (\n"
	"  SELECT sum(exclusive_ns) AS exclusive_ns, sum(exclusive_ns * is_fp32) AS fp32_ns FROM "
	"gemm)\n"
	"SELECT\n"
	"  g.name AS subject,\n"
	"  CAST(g.exclusive_ns * :saved_ratio AS INTEGER) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  g.ops AS count,\n"
	"  g.exclusive_ns AS exclusive_ns,\n"
	"  g.exclusive_ns / g.ops AS mean_ns,\n"
	"  (t.exclusive_ns - t.fp32_ns) * 100.0 / t.exclusive_ns AS low_precision_pct,\n"
	"  t.fp32_ns * 100.0 / g.busy_ns AS busy_pct,\n"
	"  g.device AS device\n"
	"FROM gemm g\n"
	"JOIN total t\n"
	"WHERE g.is_fp32 AND g.exclusive_ns > 0\n"
	"  AND t.fp32_ns * 100.0 >= :min_fp32_pct * g.busy_ns\n"
	"  AND (t.exclusive_ns - t.fp32_ns) * 100.0 < :max_low_precision_pct * t.exclusive_ns\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_gemm_fp32 = {
	.id = "gemm-fp32",
	.title = "Matrix kernels run in fp32",
	.advice = "Run the model under autocast in bfloat16 or float16, or allow TF32 for what "
		  "must stay in fp32.",
	.why = "In fp16 or bf16 tensor and matrix cores do several times as much per second as "
	       "these kernels can.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (mixed precision); the pattern matcher of the "
		  "PyTorch profiler; thresholds: own.",
};
