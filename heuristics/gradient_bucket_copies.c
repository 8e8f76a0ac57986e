/*
 * DDP copies gradients into its buckets and back.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", "communication", NULL};
static const char *const part_of[] = {"small-kernels", "host-bound", NULL};
static const char *const reads[] = {"host_total", "framework_op", "slice_nest", "slice_row",
	"label", "steady", "steady_gap", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 1, 1, 1000000,
		"bucket copies per step from which they are told; one per parameter and step is "
		"usual"},
	{"min_exposed_pct", "pct", 1, 0, 100,
		"their time with no device at work, as share of the wall time, from which it is "
		"the gain "
		"where the device time of the copies is not known; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH bucket AS (\n"
	"  SELECT name, sum(count) AS copies, sum(dur_ns) AS dur_ns, max(exposed_ns) AS "
	"exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name LIKE '%reducer::copy!_bucket!_to!_grad' ESCAPE '!'\n"
	"  GROUP BY name),\n"
	"copied AS (\n"
	"  SELECT sum(f.device_ns) AS device_ns, coalesce(sum(f.exclusive_ns), 0) AS exclusive_ns\n"
	"  FROM framework_op f\n"
	"  JOIN slice_nest n ON n.slice_id = f.slice_id\n"
	"  JOIN slice_row r ON r.id = n.parent_id\n"
	"  JOIN label l ON l.id = r.label_id\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'copy'\n"
	"    AND l.name LIKE '%reducer::copy!_bucket!_to!_grad' ESCAPE '!'),\n"
	"idle AS (\n"
	"  SELECT coalesce(sum(g.dur), 0) AS ns FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown', 'collective'))\n"
	"SELECT\n"
	"  b.name AS subject,\n"
	"  iif(c.device_ns IS NULL AND b.exposed_ns * 100.0 < :min_exposed_pct * w.wall_ns, NULL,\n"
	"    max(b.exposed_ns, min(b.dur_ns, i.ns)) + c.exclusive_ns) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  b.copies AS count,\n"
	"  b.copies * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  b.dur_ns AS host_ns,\n"
	"  b.exposed_ns AS exposed_ns,\n"
	"  c.device_ns AS device_ns,\n"
	"  c.exclusive_ns AS work_ns\n"
	"FROM bucket b\n"
	"JOIN copied c\n"
	"JOIN idle i\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT sum(copies) FROM bucket) >= :min_per_step_ratio * max(w.step_count, 1)\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_gradient_bucket_copies = {
	.id = "gradient-bucket-copies",
	.title = "Gradients are copied in and out of the buckets",
	.advice = "Set gradient_as_bucket_view=True in DistributedDataParallel: gradients then are "
		  "views of the buckets.",
	.why = "Each parameter costs a copy on the device and its launch on the host, in every "
	       "step, and the memory is there twice.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE | TC_BUCKET_COPIES,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (gradients as view of buckets).",
};
