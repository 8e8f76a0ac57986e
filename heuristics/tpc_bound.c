/*
 * Vector work that no matrix work hides dominates the device. No gain can be said: the rows are
 * the kernels to look at.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"mme", NULL};
static const char *const reads[] = {"busiest_device", "metric", "op_total", NULL};
static const struct tc_param params[] = {
	{"min_tpc_pct", "pct", 60, 0, 100,
		"TPC time under no MME work, as share of the busy time, from which it is told; own "
		"choice"},
	{"min_kernel_pct", "pct", 2, 0, 100,
		"share of that time that a kernel must have to be listed; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH vector AS (\n"
	"  SELECT d.device, d.busy_ns, m.value AS tpc_ns\n"
	"  FROM busiest_device d\n"
	"  JOIN metric m ON m.trace_id = d.trace_id AND m.device = d.device\n"
	"    AND m.name = 'tpc_exclusive_ns' AND m.step IS NULL\n"
	"  WHERE d.trace_id = :trace_id)\n"
	"SELECT\n"
	"  coalesce(o.name, '(no name)') AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  sum(o.count) AS count,\n"
	"  sum(o.exclusive_ns) AS exclusive_ns,\n"
	"  sum(o.exclusive_ns) * 100.0 / v.tpc_ns AS share_pct,\n"
	"  sum(o.dur_ns) / sum(o.count) AS mean_ns,\n"
	"  v.tpc_ns * 100.0 / v.busy_ns AS tpc_alone_pct\n"
	"FROM vector v\n"
	"JOIN op_total o ON o.trace_id = :trace_id AND o.device = v.device AND o.engine = 'tpc'\n"
	"WHERE v.tpc_ns * 100.0 >= :min_tpc_pct * v.busy_ns AND v.tpc_ns > 0\n"
	"GROUP BY o.name\n"
	"HAVING sum(o.exclusive_ns) * 100.0 >= :min_kernel_pct * v.tpc_ns\n"
	"ORDER BY exclusive_ns DESC, subject\n";

const struct tc_heuristic tc_h_tpc_bound = {
	.id = "tpc-bound",
	.title = "Most of the device time is vector work",
	.advice = "Look at the kernels below: fuse chains of pointwise operations, use the fused "
		  "operators, or write a custom TPC kernel for the largest.",
	.why = "The matrix engine, which has nearly all of the arithmetic, waits for the vector "
	       "cores.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (custom operators, fusion); thresholds: own.",
};
