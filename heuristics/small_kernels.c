/*
 * Most kernels are so short that starting them costs as much as running them. The gain is what
 * fusion of the short elementwise ones would save: most of their time, the short idle gaps between
 * kernels, and their part of the idle time in which the host dispatches and launches (on a Gaudi
 * graphs are launched, not kernels). Idle time is shared out by runs that stand alone: exclusive
 * time over mean duration, so that lanes do not count and no idle time goes to hidden kernels.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"busiest_device", "op_total", "gap", "host_block", "steady_gap",
	"slice_row", "label", "metric", NULL};
static const struct tc_param params[] = {
	{"max_kernel_ns", "ns", 10000, 1, 1000000000,
		"mean duration below which a kernel counts as short, and length up to which a gap "
		"counts as one between kernels; own choice"},
	{"min_count_pct", "pct", 20, 0, 100,
		"share of the kernels that are short from which it is told; own choice: long ones "
		"on a Gaudi count once for every lane"},
	{"min_gain_pct", "pct", 5, 0, 100,
		"the gain as share of the wall time from which it is told; own choice"},
	{"saved_ratio", "ratio", 0.9, 0, 1,
		"part of the time of short elementwise kernels that fusion saves; own choice, as "
		"for a fused optimizer"},
	{"min_load_ns", "ns", 1000000, 1000, 1000000000000,
		"length from which the launch of a kernel that an idle device waits for is taken "
		"to load its code, and told by runtime-setup; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH kernel AS (\n"
	"  SELECT o.name, sum(o.count) AS ops, CAST(total(o.dur_ns) AS INTEGER) AS dur_ns,\n"
	"    sum(o.exclusive_ns) AS exclusive_ns,\n"
	"    sum(o.exclusive_ns) * 1.0 * sum(o.count) / max(total(o.dur_ns), 1) AS alone,\n"
	"    total(o.dur_ns) < :max_kernel_ns * sum(o.count) AS is_short,\n"
	"    o.engine = 'tpc' OR o.name LIKE '%elementwise%' AS is_fusible\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id AND o.engine IN ('mme', 'tpc', 'compute')\n"
	"  GROUP BY o.name, o.engine),\n"
	"total AS (\n"
	"  SELECT sum(ops) AS ops, sum(alone) AS alone, sum(exclusive_ns) AS exclusive_ns,\n"
	"    sum(ops * is_short) AS "
	"short_ops,\n"
	"    sum(exclusive_ns * is_short) AS short_ns\n"
	"  FROM kernel),\n"
	"pause AS (\n"
	"  SELECT coalesce(sum(g.dur), 0) AS gap_ns, coalesce(sum(g.count), 0) AS gaps\n"
	"  FROM busiest_device d\n"
	"  LEFT JOIN gap g ON g.trace_id = d.trace_id AND g.device = d.device\n"
	"    AND g.dur <= :max_kernel_ns * g.count\n"
	"  WHERE d.trace_id = :trace_id),\n"
	"launch AS (\n"
	"  SELECT max(coalesce(sum(g.dur), 0)\n"
	"      - (SELECT coalesce(sum(b.held_ns), 0) FROM host_block b WHERE b.trace_id = "
	":trace_id), 0)\n"
	"    AS idle_ns\n"
	"  FROM steady_gap g LEFT JOIN slice_row s ON s.id = g.host_slice_id\n"
	"    LEFT JOIN label n ON n.id = s.label_id\n"
	"  WHERE g.trace_id = :trace_id AND g.cause IN ('dispatch', 'launch')\n"
	"    AND g.dur > :max_kernel_ns * g.count\n"
	"    AND coalesce(g.cause = 'launch' AND g.count = 1 AND s.dur >= :min_load_ns\n"
	"      AND n.name LIKE '%kernel%', 0) = 0\n"
	"    AND EXISTS (SELECT 1 FROM op_total o\n"
	"      WHERE o.trace_id = :trace_id AND o.engine = 'compute')),\n"
	"part AS (\n"
	"  SELECT k.name, k.ops, k.dur_ns, k.exclusive_ns, t.ops AS all_ops, t.short_ops,\n"
	"    t.exclusive_ns AS all_ns, t.short_ns, p.gap_ns, p.gaps, l.idle_ns,\n"
	"    CAST((p.gap_ns + l.idle_ns) * k.alone / t.alone + k.exclusive_ns * :saved_ratio\n"
	"      AS INTEGER) AS gain_ns,\n"
	"    CAST(k.exclusive_ns * :saved_ratio AS INTEGER) AS work_ns\n"
	"  FROM kernel k\n"
	"  JOIN total t\n"
	"  JOIN pause p\n"
	"  JOIN launch l\n"
	"  WHERE k.is_short AND k.is_fusible AND t.short_ops * 100.0 >= :min_count_pct * t.ops)\n"
	"SELECT\n"
	"  coalesce(k.name, '(no name)') AS subject,\n"
	"  k.gain_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  k.ops AS count,\n"
	"  k.dur_ns / k.ops AS mean_ns,\n"
	"  k.exclusive_ns AS exclusive_ns,\n"
	"  k.short_ops * 100.0 / k.all_ops AS short_kernels_pct,\n"
	"  k.short_ns * 100.0 / k.all_ns AS short_time_pct,\n"
	"  k.gaps AS short_gap_count,\n"
	"  k.gap_ns AS short_gap_ns,\n"
	"  k.idle_ns AS launch_idle_ns,\n"
	"  k.work_ns AS work_ns\n"
	"FROM part k\n"
	"JOIN metric w ON w.trace_id = :trace_id AND w.name = 'wall_ns' AND w.device IS NULL\n"
	"  AND w.step IS NULL\n"
	"WHERE (SELECT sum(gain_ns) FROM part) * 100.0 >= :min_gain_pct * w.value AND k.gain_ns > "
	"0\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_small_kernels = {
	.id = "small-kernels",
	.title = "Most kernels are too short to keep the device busy",
	.advice = "Let several operations become one: torch.compile, {graphs}, fused "
		  "operators, and larger batches.",
	.why = "Each of them reads and writes memory for a little work, and between two short "
	       "kernels the device always waits a little.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE | TC_BUCKET_HOST | TC_BUCKET_PAUSE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (fuse pointwise operations); Intel Gaudi model "
		  "optimization; thresholds: own.",
};
