/*
 * Matrix work runs in fp32 though the engine is far faster in 16 or 8 bits. What counts is MME time
 * under no TPC work, by the share of fp32; copies beside it do not hold it up. One row per
 * operation; the gain is shared out by their MME time.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"mme", "data_types", NULL};
static const char *const reads[] = {"metric", "op_total", NULL};
static const struct tc_param params[] = {
	{"max_low_precision_pct", "pct", 50, 0, 100,
		"share of MME time in bf16, fp16 or fp8 below which it is told; own choice: "
		"habana_perf_tool is silent at 77 %"},
	{"min_fp32_pct", "pct", 1, 0, 100,
		"fp32 MME time under no other work, as share of the device's busy time, below "
		"which nothing is told; own choice"},
	{"saved_ratio", "ratio", 0.5, 0, 1,
		"part of the fp32 MME time that lower precision saves; own choice, careful: the "
		"peak rates differ by more than two"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH device AS (\n"
	"  SELECT f.device, f.value AS fp32_ns, r.value * 100.0 AS low_pct, b.value AS busy_ns,\n"
	"    max(f.value, (m.value - t.value) * (1 - r.value)) AS fp32_no_tpc_ns\n"
	"  FROM metric f\n"
	"  JOIN metric r ON r.trace_id = f.trace_id AND r.name = 'mme_low_precision_ratio'\n"
	"    AND r.device = f.device AND r.step IS NULL\n"
	"  JOIN metric b ON b.trace_id = f.trace_id AND b.name = 'device_busy_ns'\n"
	"    AND b.device = f.device AND b.step IS NULL\n"
	"  JOIN metric m ON m.trace_id = f.trace_id AND m.name = 'mme_busy_ns'\n"
	"    AND m.device = f.device AND m.step IS NULL\n"
	"  JOIN metric t ON t.trace_id = f.trace_id AND t.name = 'mme_tpc_overlap_ns'\n"
	"    AND t.device = f.device AND t.step IS NULL\n"
	"  WHERE f.trace_id = :trace_id AND f.name = 'mme_fp32_exclusive_ns' AND f.step IS NULL\n"
	"  ORDER BY f.value DESC, f.device LIMIT 1),\n"
	"op AS (\n"
	"  SELECT o.name, o.data_type, sum(o.count) AS ops, sum(o.exclusive_ns) AS mme_ns\n"
	"  FROM op_total o JOIN device d ON d.device = o.device\n"
	"  WHERE o.trace_id = :trace_id AND o.engine = 'mme'\n"
	"    AND lower(o.data_type) IN ('float32', 'fp32', 'f32', 'tf32')\n"
	"  GROUP BY o.name, o.data_type)\n"
	"SELECT\n"
	"  coalesce(o.name, '(no name)') AS subject,\n"
	"  CAST(d.fp32_no_tpc_ns * :saved_ratio * o.mme_ns\n"
	"    / (SELECT max(sum(mme_ns), 1) FROM op) AS INTEGER) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  o.ops AS count,\n"
	"  o.data_type AS data_type,\n"
	"  o.mme_ns AS mme_ns,\n"
	"  d.low_pct AS low_precision_pct,\n"
	"  d.fp32_ns AS fp32_alone_ns,\n"
	"  CAST(d.fp32_no_tpc_ns AS INTEGER) AS fp32_no_tpc_ns,\n"
	"  d.device AS device\n"
	"FROM op o JOIN device d\n"
	"WHERE d.low_pct < :max_low_precision_pct\n"
	"  AND d.fp32_ns * 100.0 >= :min_fp32_pct * d.busy_ns\n"
	"ORDER BY gain_ns DESC, subject, data_type\n";

const struct tc_heuristic tc_h_mme_low_precision = {
	.id = "mme-low-precision",
	.title = "Most matrix work runs in fp32",
	.advice = "Run the model under autocast in bfloat16 (or FP8 where the accuracy allows), "
		  "and keep only the operations that need it in fp32.",
	.why = "The matrix engine does at least twice as much per second in bf16 as in fp32, and "
	       "half the bytes move.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (mixed precision); PyTorch performance tuning "
		  "guide; thresholds: own.",
};
