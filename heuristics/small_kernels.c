/*
 * Most kernels are so short that starting them costs as much as running them. The gain is the
 * short idle gaps between them, shared out by number of kernels.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"busiest_device", "op_total", "gap", NULL};
static const struct tc_param params[] = {
	{"max_kernel_ns", "ns", 10000, 1, 1000000000,
		"mean duration below which a kernel counts as short, and length up to which a gap "
		"counts as one between kernels; own choice"},
	{"min_short_pct", "pct", 30, 0, 100,
		"share of the kernel time in short kernels from which it is told; own choice"},
	{"min_count_pct", "pct", 50, 0, 100,
		"share of the kernels that are short from which it is told: 50 is a median below "
		"the limit; own choice"},
	{"min_gap_pct", "pct", 1, 0, 100,
		"short gaps as share of the busy time below which nothing is told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH kernel AS (\n"
	"  SELECT o.name, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns,\n"
	"    sum(o.dur_ns) < :max_kernel_ns * sum(o.count) AS is_short\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id AND o.engine IN ('mme', 'tpc', 'compute')\n"
	"  GROUP BY o.name),\n"
	"total AS (\n"
	"  SELECT sum(ops) AS ops, sum(dur_ns) AS dur_ns, sum(ops * is_short) AS short_ops,\n"
	"    sum(dur_ns * is_short) AS short_ns\n"
	"  FROM kernel),\n"
	"pause AS (\n"
	"  SELECT d.busy_ns, coalesce(sum(g.dur), 0) AS gap_ns, coalesce(sum(g.count), 0) AS gaps\n"
	"  FROM busiest_device d\n"
	"  LEFT JOIN gap g ON g.trace_id = d.trace_id AND g.device = d.device\n"
	"    AND g.dur <= :max_kernel_ns * g.count\n"
	"  WHERE d.trace_id = :trace_id)\n"
	"SELECT\n"
	"  coalesce(k.name, '(no name)') AS subject,\n"
	"  CAST(b.gap_ns * 1.0 * k.ops / t.short_ops AS INTEGER) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  k.ops AS count,\n"
	"  k.dur_ns / k.ops AS mean_ns,\n"
	"  k.dur_ns AS dur_ns,\n"
	"  t.short_ops * 100.0 / t.ops AS short_kernels_pct,\n"
	"  t.short_ns * 100.0 / t.dur_ns AS short_time_pct,\n"
	"  b.gaps AS short_gap_count,\n"
	"  b.gap_ns AS short_gap_ns\n"
	"FROM kernel k\n"
	"JOIN total t\n"
	"JOIN pause b\n"
	"WHERE k.is_short\n"
	"  AND t.short_ops * 100.0 >= :min_count_pct * t.ops\n"
	"  AND t.short_ns * 100.0 >= :min_short_pct * t.dur_ns\n"
	"  AND b.gap_ns * 100.0 >= :min_gap_pct * b.busy_ns\n"
	"ORDER BY count DESC, dur_ns DESC, subject\n";

const struct tc_heuristic tc_h_small_kernels = {
	.id = "small-kernels",
	.title = "Most kernels are too short to keep the device busy",
	.advice = "Let several operations become one: torch.compile or graph capture, fused "
		  "operators, and larger batches.",
	.why = "Between two short kernels the device always waits a little; with thousands of them "
	       "that adds up.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (fuse pointwise operations); Intel Gaudi model "
		  "optimization; thresholds: own.",
};
