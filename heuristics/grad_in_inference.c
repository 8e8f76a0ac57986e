/*
 * Steps in which autograd numbers go up, so nodes for a backward pass are made, and no backward
 * pass and no optimizer step runs. One row.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"framework_op", "step", "steady", NULL};
static const struct tc_param params[] = {
	{"min_node_count", "count", 10, 1, 1000000000,
		"autograd nodes per step, at least, from which they are told; own choice: a "
		"model has more"},
	{"min_step_count", "count", 1, 1, 1000000000,
		"steps without a backward pass from which they are told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH part AS (\n"
	"  SELECT f.step_id, min(f.sequence_number) AS first, max(f.sequence_number) AS last,\n"
	"    sum(f.kind = 'backward') AS backwards, sum(f.kind = 'optimizer_step') AS updates,\n"
	"    min(f.name) AS name\n"
	"  FROM framework_op f\n"
	"  WHERE f.trace_id = :trace_id\n"
	"  GROUP BY f.step_id),\n"
	"evaluated AS (\n"
	"  SELECT p.step_id, p.last - p.first AS nodes\n"
	"  FROM part p\n"
	"  WHERE p.backwards = 0 AND p.updates = 0 AND p.last - p.first >= :min_node_count\n"
	"    AND (p.step_id IS NOT NULL\n"
	"      OR NOT EXISTS (SELECT 1 FROM step s WHERE s.trace_id = :trace_id))),\n"
	"training AS (\n"
	"  SELECT coalesce(sum(p.backwards), 0) AS backwards, coalesce(sum(p.updates), 0) AS "
	"updates\n"
	"  FROM part p)\n"
	"SELECT\n"
	"  CASE WHEN max(e.step_id) IS NULL THEN 'the whole trace'\n"
	"    WHEN count(*) = w.step_count THEN 'all steps' ELSE 'steps without a backward pass' "
	"END AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  iif(count(*) > 1, 'inferred', 'guessed') AS confidence,\n"
	"  count(*) AS count,\n"
	"  max(e.nodes) AS node_count,\n"
	"  (SELECT count(*) FROM part p WHERE p.backwards > 0) AS training_step_count\n"
	"FROM evaluated e\n"
	"JOIN training t\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (t.updates = 0 OR t.backwards > 0)\n"
	"GROUP BY w.step_count\n"
	"HAVING count(*) >= :min_step_count\n"
	"ORDER BY count DESC, subject\n";

const struct tc_heuristic tc_h_grad_in_inference = {
	.id = "grad-in-inference",
	.title = "Gradients are recorded that no backward pass uses",
	.advice = "Run evaluation under torch.inference_mode(), or torch.no_grad() where "
		  "results take part in autograd later.",
	.why = "Autograd builds a node per operation on the host and keeps the inputs of "
	       "all layers alive until the result is dropped.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (disable gradient calculation for "
		  "validation or inference); thresholds: own.",
};
