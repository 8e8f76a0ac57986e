/*
 * Convolutions with a bias that feed a batch norm. One row per kind of convolution and number of
 * channels.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", "shapes", NULL};
static const char *const part_of[] = {"small-kernels", NULL};
static const char *const reads[] = {"framework_op", NULL};
static const struct tc_param params[] = {
	{"min_count", "count", 1, 1, 1000000000,
		"such convolutions in the trace from which they are told; one is enough, "
		"for the bias never helps"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH biased AS (\n"
	"  SELECT c.slice_id, c.name, c.input_dims, c.thread_id, c.ts, c.ts + c.dur AS end_ts\n"
	"  FROM framework_op c\n"
	"  WHERE c.trace_id = :trace_id AND c.kind = 'convolution'\n"
	"    AND json_array_length(c.input_dims, '$[2]') > 0),\n"
	"fed AS (\n"
	"  SELECT c.name || ' before ' || n.name AS pattern, c.input_dims, c.thread_id, c.ts, "
	"c.end_ts\n"
	"  FROM framework_op n\n"
	"  JOIN biased c ON c.slice_id = n.previous_slice_id\n"
	"  WHERE n.trace_id = :trace_id AND n.kind = 'batch_norm'),\n"
	"bias AS (\n"
	"  SELECT b.thread_id, b.ts, b.exclusive_ns\n"
	"  FROM framework_op b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind = 'bias_add'),\n"
	"summed AS (\n"
	"  SELECT total(b.exclusive_ns) / max((SELECT count(*) FROM biased), 1) AS each_ns\n"
	"  FROM framework_op b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind = 'bias_sum'),\n"
	"costed AS (\n"
	"  SELECT f.pattern, f.input_dims, s.each_ns,\n"
	"    (SELECT sum(b.exclusive_ns) FROM bias b\n"
	"      WHERE b.thread_id = f.thread_id AND b.ts >= f.ts AND b.ts < f.end_ts) AS bias_ns\n"
	"  FROM fed f JOIN summed s)\n"
	"SELECT\n"
	"  c.pattern || ', ' || (c.input_dims ->> '$[2][0]') || ' channels' AS subject,\n"
	"  CAST(nullif(coalesce(sum(c.bias_ns), 0) + sum(c.each_ns), 0) AS INTEGER) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  count(*) AS count,\n"
	"  sum(c.bias_ns) AS bias_ns,\n"
	"  CAST(sum(c.each_ns) AS INTEGER) AS gradient_ns\n"
	"FROM costed c\n"
	"WHERE (SELECT count(*) FROM fed) >= :min_count\n"
	"GROUP BY c.pattern, c.input_dims ->> '$[2][0]'\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_conv_bias_before_norm = {
	.id = "conv-bias-before-norm",
	.title = "Convolutions add a bias that the batch norm takes off again",
	.advice = "Create these convolutions with bias=False.",
	.why = "Batch norm subtracts the mean of each channel, and with it any constant: "
	       "the bias costs an addition forward and a sum backward, and changes "
	       "nothing.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (no bias before a batch norm).",
};
