/*
 * Kernels that only change the layout of tensors. One row per kernel.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"busiest_device", "op_total", NULL};
static const struct tc_param params[] = {
	{"min_transpose_pct", "pct", 5, 0, 100,
		"time in layout changes, as share of the busy time, from which it is told; own "
		"choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH layout AS (\n"
	"  SELECT o.name, o.engine, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns,\n"
	"    sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id\n"
	"    AND (o.name LIKE 'transpose%' OR o.name LIKE 'DmaTranspose%'\n"
	"      OR o.name LIKE 'batched!_transpose%' ESCAPE '!' OR o.name LIKE '%nchwToNhwc%'\n"
	"      OR o.name LIKE '%nhwcToNchw%' OR o.name LIKE 'permute%')\n"
	"  GROUP BY o.name, o.engine, d.busy_ns)\n"
	"SELECT\n"
	"  l.name AS subject,\n"
	"  l.exclusive_ns AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  l.ops AS count,\n"
	"  l.exclusive_ns * 100.0 / l.busy_ns AS busy_pct,\n"
	"  l.dur_ns / l.ops AS mean_ns,\n"
	"  l.engine AS engine\n"
	"FROM layout l\n"
	"WHERE (SELECT sum(exclusive_ns) FROM layout) * 100.0 >= :min_transpose_pct * l.busy_ns\n"
	"  AND l.exclusive_ns > 0\n"
	"ORDER BY gain_ns DESC, subject, engine\n";

const struct tc_heuristic tc_h_layout_transposes = {
	.id = "layout-transposes",
	.title = "The device spends its time changing tensor layouts",
	.advice = "Keep one layout through the model: channels_last for convolutions, and no "
		  "permute() or contiguous() calls between operations that could take either.",
	.why = "A transpose moves every byte and computes nothing.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (channels_last); threshold: own.",
};
