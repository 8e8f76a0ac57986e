/*
 * Attention is made of separate matrix, softmax and matrix operations. The gain is the time of the
 * softmax kernels, and of dropout and mask kernels that run as often.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"busiest_device", "op_total", "host_total", NULL};
static const struct tc_param params[] = {
	{"min_softmax_pct", "pct", 1, 0, 100,
		"softmax time as share of the busy time below which nothing is told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH op AS (\n"
	"  SELECT o.name, o.engine, sum(o.count) AS ops, sum(o.exclusive_ns) AS exclusive_ns, "
	"d.busy_ns,\n"
	"    lower(o.name) LIKE '%softmax%' AND lower(o.name) NOT LIKE '%log!_softmax%' ESCAPE "
	"'!'\n"
	"      AND lower(o.name) NOT LIKE '%logsoftmax%'\n"
	"      AND lower(o.name) NOT LIKE '%softmax!_warp%, true%' ESCAPE '!' AS is_softmax,\n"
	"    lower(o.name) LIKE '%dropout%' OR lower(o.name) LIKE '%masked!_fill%' ESCAPE '!' AS "
	"is_mask\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id\n"
	"  GROUP BY o.name, o.engine, d.busy_ns),\n"
	"host AS (\n"
	"  SELECT coalesce(sum(count), 0) AS batch_gemms FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name IN ('aten::bmm', 'aten::baddbmm'))\n"
	"SELECT\n"
	"  o.name AS subject,\n"
	"  o.exclusive_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  o.ops AS count,\n"
	"  o.exclusive_ns * 100.0 / o.busy_ns AS busy_pct,\n"
	"  o.exclusive_ns / o.ops AS mean_ns,\n"
	"  o.engine AS engine\n"
	"FROM op o\n"
	"JOIN host h\n"
	"WHERE (o.is_softmax OR o.is_mask AND o.ops IN (SELECT s.ops FROM op s WHERE "
	"s.is_softmax))\n"
	"  AND (h.batch_gemms > 0 OR EXISTS (SELECT 1 FROM op b WHERE b.name LIKE 'BatchGemm%'))\n"
	"  AND (SELECT sum(exclusive_ns) FROM op WHERE is_softmax) * 100.0\n"
	"    >= :min_softmax_pct * o.busy_ns\n"
	"  AND o.exclusive_ns > 0\n"
	"ORDER BY gain_ns DESC, subject, engine\n";

const struct tc_heuristic tc_h_unfused_attention = {
	.id = "unfused-attention",
	.title = "Attention runs as separate operations",
	.advice = "Use {fused_attention} also saves memory.",
	.why = "The scores of all pairs of tokens are written to memory, read back for the "
	       "softmax, and written again.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (FusedSDPA); threshold: own.",
};
