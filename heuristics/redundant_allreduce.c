/*
 * Several forward passes of DDP before one optimizer step, each of them followed by the same
 * number of all-reduces. One row per call.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", "communication", NULL};
static const char *const part_of[] = {"exposed-communication", NULL};
static const char *const reads[] = {
	"framework_op", "host_total", "metric", "op_total", "steady_gap", NULL};
static const struct tc_param params[] = {
	{"min_extra_ratio", "ratio", 0.5, 0, 1000000,
		"passes per optimizer step that reduce before the last from which they are "
		"told; own choice: in every other step"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH event AS (\n"
	"  SELECT f.kind, f.name, f.ts, f.id,\n"
	"    sum(f.kind = 'optimizer_step') OVER sequence AS updates,\n"
	"    sum(f.kind = 'ddp_forward') OVER sequence AS pass\n"
	"  FROM framework_op f\n"
	"  WHERE f.trace_id = :trace_id AND f.kind IN ('optimizer_step', 'ddp_forward', "
	"'all_reduce')\n"
	"  WINDOW sequence AS (ORDER BY f.ts, f.id)),\n"
	"pass AS (\n"
	"  SELECT e.updates, e.pass, count(*) AS reduces, min(e.name) AS name\n"
	"  FROM event e\n"
	"  WHERE e.kind = 'all_reduce' AND e.pass > 0 AND e.updates < (SELECT max(updates) FROM "
	"event)\n"
	"  GROUP BY e.updates, e.pass),\n"
	"judged AS (\n"
	"  SELECT p.*, first_value(p.reduces) OVER last_first AS last_reduces,\n"
	"    row_number() OVER last_first AS place\n"
	"  FROM pass p\n"
	"  WINDOW last_first AS (PARTITION BY p.updates ORDER BY p.pass DESC)),\n"
	"extra AS (\n"
	"  SELECT j.name, sum(j.reduces) AS reduces, count(*) AS passes\n"
	"  FROM judged j\n"
	"  WHERE j.place > 1 AND j.reduces = j.last_reduces\n"
	"  GROUP BY j.name),\n"
	"total AS (\n"
	"  SELECT count(DISTINCT p.updates) AS updates, sum(p.reduces) AS reduces FROM pass p),\n"
	"exposed AS (\n"
	"  SELECT coalesce(max(m.value), 0) AS exposed_ns FROM metric m\n"
	"  WHERE m.trace_id = :trace_id AND m.name = 'exposed_communication_ns' AND m.step IS "
	"NULL),\n"
	"kernel AS (\n"
	"  SELECT total(iif(o.name LIKE '%all%reduce%', o.dur_ns, 0)) AS reduce_ns,\n"
	"    total(o.dur_ns) AS dur_ns\n"
	"  FROM op_total o\n"
	"  WHERE o.trace_id = :trace_id AND o.engine = 'communication'),\n"
	"reducer AS (\n"
	"  SELECT coalesce(sum(h.dur_ns), 0) AS host_ns FROM host_total h\n"
	"  WHERE h.trace_id = :trace_id AND (h.name LIKE '%reducer::mul!_out' ESCAPE '!'\n"
	"    OR h.name LIKE '%reducer::copy!_bucket!_to!_grad' ESCAPE '!')),\n"
	"idle AS (\n"
	"  SELECT coalesce(sum(g.dur), 0) AS ns FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown', 'collective')),\n"
	"saved AS (\n"
	"  SELECT x.*, t.updates,\n"
	"    CAST(e.exposed_ns * 1.0 * x.reduces / t.reduces\n"
	"      * iif(k.reduce_ns > 0, k.reduce_ns * 1.0 / k.dur_ns, 1) AS INTEGER) AS work_ns,\n"
	"    CAST(min(r.host_ns * 1.0 * x.reduces / t.reduces, i.ns) AS INTEGER) AS host_ns\n"
	"  FROM extra x JOIN total t JOIN exposed e JOIN kernel k JOIN reducer r JOIN idle i)\n"
	"SELECT\n"
	"  x.name AS subject,\n"
	"  x.work_ns + x.host_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  x.reduces AS count,\n"
	"  1 + x.passes * 1.0 / x.updates AS passes_per_update_ratio,\n"
	"  x.updates AS update_count,\n"
	"  x.host_ns AS late_host_ns,\n"
	"  e.exposed_ns AS exposed_ns,\n"
	"  x.work_ns AS work_ns\n"
	"FROM saved x\n"
	"JOIN exposed e\n"
	"WHERE x.passes >= :min_extra_ratio * x.updates\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_redundant_allreduce = {
	.id = "redundant-allreduce",
	.title = "Gradients are reduced in every pass of an accumulation",
	.advice = "Wrap all backward passes but the last before an optimizer step in "
		  "model.no_sync().",
	.why = "The sums over the ranks are only needed once, when the optimizer uses "
	       "them; reducing after each pass sends the same gradients several times.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMMUNICATION | TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (skip the all-reduce while accumulating "
		  "gradients); threshold: own.",
};
