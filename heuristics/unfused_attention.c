/*
 * Attention is made of separate matrix, softmax and matrix operations. The gain is the time of the
 * softmax kernels.
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
	"      AND lower(o.name) NOT LIKE '%softmax!_warp%, true%' ESCAPE '!' AS is_softmax\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id\n"
	"  GROUP BY o.name, o.engine, d.busy_ns),\n"
	"host AS (\n"
	"  SELECT sum(CASE WHEN name IN ('aten::bmm', 'aten::baddbmm') THEN count END) AS "
	"batch_gemms,\n"
	"    sum(name LIKE '%scaled!_dot!_product!_%attention' ESCAPE '!' AND name NOT LIKE "
	"'%!_math' ESCAPE '!'\n"
	"      OR name LIKE '%sdpa!_%' ESCAPE '!' OR lower(name) LIKE '%flash!_att%' ESCAPE '!') "
	"AS fused\n"
	"  FROM host_total WHERE trace_id = :trace_id)\n"
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
	"WHERE o.is_softmax\n"
	"  AND (h.batch_gemms > 0 OR EXISTS (SELECT 1 FROM op b WHERE b.name LIKE 'BatchGemm%'))\n"
	"  AND coalesce(h.fused, 0) = 0\n"
	"  AND NOT EXISTS (SELECT 1 FROM op f\n"
	"    WHERE lower(f.name) LIKE '%flash%' OR lower(f.name) LIKE '%sdpa%'\n"
	"      OR lower(f.name) LIKE '%fmha%')\n"
	"  AND (SELECT sum(exclusive_ns) FROM op WHERE is_softmax) * 100.0\n"
	"    >= :min_softmax_pct * o.busy_ns\n"
	"  AND o.exclusive_ns > 0\n"
	"ORDER BY gain_ns DESC, subject, engine\n";

const struct tc_heuristic tc_h_unfused_attention = {
	.id = "unfused-attention",
	.title = "Attention runs as separate operations",
	.advice = "Use scaled_dot_product_attention, or FusedSDPA on Gaudi; its recompute mode "
		  "also saves memory.",
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
