/*
 * One sequence of operations with the same shapes gets new recipes after warm-up, so only a
 * constant can differ. One row per sequence.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"bridge", "steps", NULL};
static const char *const part_of[] = {"recompilation", NULL};
static const char *const reads[] = {"compile", "compile_cost", "slice_row", "label", NULL};
static const struct tc_param params[] = {
	{"min_recipe_count", "count", 3, 1, 1000000,
		"recipes that one sequence of operations got after warm-up, with the same "
		"shapes, from which they are told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH again AS (\n"
	"  SELECT c.id, c.slice_id, c.op_sequence, c.op_count, c.step_id, c.dur, c.exposed_ns, "
	"c.changed,\n"
	"    coalesce(c.recipe, c.id) AS recipe, coalesce(k.cost_ns, 0) AS cost_ns\n"
	"  FROM compile c\n"
	"  LEFT JOIN compile_cost k ON k.trace_id = c.trace_id AND k.slice_id = c.slice_id\n"
	"  WHERE c.trace_id = :trace_id AND NOT c.is_warm_up AND c.kind = 'again'\n"
	"    AND c.changed IN ('other', 'unknown') AND c.op_sequence IS NOT NULL),\n"
	"graph AS (\n"
	"  SELECT a.op_sequence, a.changed, min(a.op_count) AS op_count, count(*) AS compiles,\n"
	"    count(DISTINCT a.recipe) AS recipes, count(DISTINCT a.step_id) AS steps, "
	"sum(a.cost_ns) AS cost_ns,\n"
	"    sum(a.dur) AS dur_ns, sum(a.exposed_ns) AS exposed_ns, min(a.recipe) AS example,\n"
	"    max(a.slice_id) AS slice_id\n"
	"  FROM again a\n"
	"  GROUP BY a.op_sequence, a.changed\n"
	"  HAVING count(DISTINCT a.recipe) >= :min_recipe_count)\n"
	"SELECT\n"
	"  'graph of ' || g.op_count || ' operations, such as ' || g.example AS subject,\n"
	"  g.cost_ns AS gain_ns,\n"
	"  iif(g.changed = 'other', 'inferred', 'guessed') AS confidence,\n"
	"  g.compiles AS count,\n"
	"  g.recipes AS recipe_count,\n"
	"  g.steps AS step_count,\n"
	"  g.dur_ns AS compile_ns,\n"
	"  g.exposed_ns AS exposed_ns,\n"
	"  iif(g.changed = 'other', 'the same shapes each time', 'shapes were not recorded') AS "
	"shapes,\n"
	"  l.name AS compile_call\n"
	"FROM graph g\n"
	"LEFT JOIN slice_row s ON s.id = g.slice_id\n"
	"LEFT JOIN label l ON l.id = s.label_id\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_loop_constant_recompilation = {
	.id = "loop-constant-recompilation",
	.title = "The same operations are compiled again and again",
	.advice = "Keep numbers that change, such as loop indexes, step counts and learning "
		  "rates, out of the graph: hand them over as tensors on the device, or roll "
		  "and index tensors instead.",
	.why = "A Python number becomes a constant of the graph, so each new value is a "
	       "new graph, and the host compiles it before the device can go on.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (constants in loops become new graphs); "
		  "threshold: own.",
};
