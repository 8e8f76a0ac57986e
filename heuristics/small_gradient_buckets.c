/*
 * Many short all-reduces per step, each with its own start-up. The gain is the part of their
 * exposed time that a usual number of them would not have, since short ones cost about the same
 * each.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"communication", "steps", NULL};
static const char *const part_of[] = {"exposed-communication", NULL};
static const char *const reads[] = {
	"busiest_device", "track", "op_total", "metric", "steady", "run_kind", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 20, 1, 1000000,
		"all-reduces per step from which they are told; own choice"},
	{"max_mean_ns", "ns", 500000, 1, 1000000000,
		"mean duration below which they count as small; own choice: 25 MB over a 50 GB/s "
		"link"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH lane AS (\n"
	"  SELECT t.engine, count(DISTINCT t.lane) AS lanes\n"
	"  FROM busiest_device d\n"
	"  JOIN track t ON t.trace_id = d.trace_id AND t.device = d.device\n"
	"  WHERE d.trace_id = :trace_id AND t.engine = 'nic'\n"
	"    AND d.device IN (SELECT o.device FROM op_total o\n"
	"      WHERE o.trace_id = :trace_id AND o.engine = 'nic')\n"
	"  GROUP BY t.engine),\n"
	"reduce AS (\n"
	"  SELECT o.name, sum(o.count) / max(coalesce(l.lanes, 1), 1) AS ops,\n"
	"    CAST(total(o.dur_ns) AS INTEGER) / max(coalesce(l.lanes, 1), 1) AS dur_ns\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  LEFT JOIN lane l ON l.engine = o.engine\n"
	"  WHERE d.trace_id = :trace_id AND o.engine IN ('communication', 'nic')\n"
	"    AND lower(replace(o.name, '_', '')) LIKE '%allreduce%'\n"
	"  GROUP BY o.name),\n"
	"total AS (\n"
	"  SELECT sum(ops) AS ops, total(dur_ns) AS dur_ns FROM reduce),\n"
	"exposed AS (\n"
	"  SELECT max(m.value) AS exposed_ns FROM metric m\n"
	"  WHERE m.trace_id = :trace_id AND m.name = 'exposed_communication_ns' AND m.step IS "
	"NULL)\n"
	"SELECT\n"
	"  r.name AS subject,\n"
	"  CAST(min(e.exposed_ns, t.dur_ns) * 1.0 * r.dur_ns / t.dur_ns\n"
	"    * (1 - :min_per_step_ratio * 1.0 * w.step_count / t.ops) AS INTEGER) AS gain_ns,\n"
	"  'guessed' AS confidence,\n"
	"  r.ops AS count,\n"
	"  t.ops * 1.0 / w.step_count AS per_step_ratio,\n"
	"  r.dur_ns / r.ops AS mean_ns,\n"
	"  r.dur_ns AS collective_ns,\n"
	"  e.exposed_ns AS exposed_ns\n"
	"FROM reduce r\n"
	"JOIN total t\n"
	"JOIN exposed e\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE NOT EXISTS (SELECT 1 FROM run_kind k\n"
	"    WHERE k.trace_id = :trace_id AND k.kind = 'inference')\n"
	"  AND w.step_count > 0 AND r.ops > 0 AND t.dur_ns > 0\n"
	"  AND t.ops > :min_per_step_ratio * w.step_count\n"
	"  AND t.dur_ns < :max_mean_ns * t.ops\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_small_gradient_buckets = {
	.id = "small-gradient-buckets",
	.title = "Gradients are reduced in many small pieces",
	.advice = "Raise bucket_cap_mb of DistributedDataParallel: {bucket_size}find the largest "
		  "that still overlaps with backward.",
	.why = "Each collective costs its start-up on all ranks, however little it carries.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMMUNICATION,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (gradient bucket size); other thresholds: own.",
};
