/*
 * Graphs are compiled again after warm-up. The gain is, step by step, the idle time for which the
 * host is to blame, as far as the compiles of the step lasted: what the host does behind a compile
 * that ate its lead would have been hidden without it. One row per sequence of operations that was
 * compiled, per recipe or operation around the compile where those are not recorded, and one per side file that counts compiles.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"compiles", NULL};
static const char *const reads[] = {"step", "steady_host_event", "steady_gap", "compile",
	"compile_op", "slice_row", "slice_args", "label", "side_compile", "capability", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 0.1, 0, 1000,
		"compilations per step, on average over the steps after the first, from which it "
		"is told; own choice: one compile in ten steps"},
	{"min_logged_count", "count", 3, 1, 1000000000,
		"compilations after the start that a side file counts from which they are told; "
		"own "
		"choice: it does not say in how many steps"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH later AS (\n"
	"  SELECT count(*) AS steps FROM step\n"
	"  WHERE trace_id = :trace_id AND NOT is_warm_up\n"
	"    AND ts > (SELECT min(ts) FROM step WHERE trace_id = :trace_id)),\n"
	"again AS (\n"
	"  SELECT CASE WHEN c.op_count > 0 THEN 'graph of ' || c.op_count || ' operations, ' || (\n"
	"      SELECT l.name FROM compile_op o JOIN slice_row s ON s.id = o.slice_id\n"
	"      JOIN label l ON l.id = s.label_id\n"
	"      WHERE o.compile_id = c.id ORDER BY o.ord LIMIT 1) || ' to ' || (\n"
	"      SELECT l.name FROM compile_op o JOIN slice_row s ON s.id = o.slice_id\n"
	"      JOIN label l ON l.id = s.label_id\n"
	"      WHERE o.compile_id = c.id ORDER BY o.ord DESC LIMIT 1)\n"
	"    ELSE coalesce(c.recipe, nullif(e.caller, ''), e.name) END AS subject,\n"
	"    c.op_sequence, c.kind, c.changed, c.recipe,\n"
	"    (SELECT l.name || ' with ' || coalesce(d.args ->> '$.\"Input Dims\"',\n"
	"        d.args ->> '$.\"Input dims\"')\n"
	"      FROM compile z JOIN slice_row s ON s.id = z.changed_slice_id\n"
	"      JOIN label l ON l.id = s.label_id\n"
	"      JOIN slice_args d ON d.slice_id = s.id\n"
	"      WHERE z.id = c.id AND json_valid(d.args)) AS changed_operation,\n"
	"    e.name, e.dur, e.exposed_ns, e.step, e.caller, e.python\n"
	"  FROM steady_host_event e\n"
	"  LEFT JOIN compile c ON c.slice_id = e.slice_id\n"
	"  WHERE e.trace_id = :trace_id AND e.role = 'compile' AND NOT e.is_warm_up),\n"
	"host_idle AS (\n"
	"  SELECT g.step, sum(g.dur) AS idle_ns FROM steady_gap g\n"
	"  WHERE g.trace_id = :trace_id AND g.count = 1\n"
	"    AND g.cause NOT IN ('queued', 'unknown', 'collective')\n"
	"  GROUP BY g.step),\n"
	"step_cost AS (\n"
	"  SELECT c.compiles, c.dur_ns,\n"
	"    min(c.dur_ns, max(c.exposed_ns, coalesce(i.idle_ns, 0))) AS cost_ns\n"
	"  FROM (SELECT step, count(*) AS compiles, sum(dur) AS dur_ns, sum(exposed_ns) AS "
	"exposed_ns\n"
	"    FROM again GROUP BY step) c\n"
	"  LEFT JOIN host_idle i ON i.step IS c.step),\n"
	"total AS (\n"
	"  SELECT sum(compiles) AS compiles, sum(dur_ns) AS dur_ns, sum(cost_ns) AS cost_ns\n"
	"  FROM step_cost),\n"
	"logged AS (\n"
	"  SELECT c.path, c.told_by, c.compiles, c.compile_ns FROM side_compile c\n"
	"  WHERE c.trace_id = :trace_id),\n"
	"sees AS (\n"
	"  SELECT min(iif(c.name IN ('bridge', 'steps'), c.present, 1)) AS trace_sees\n"
	"  FROM capability c\n"
	"  WHERE c.trace_id = :trace_id)\n"
	"SELECT\n"
	"  a.subject AS subject,\n"
	"  CAST(t.cost_ns * 1.0 * sum(a.dur) / t.dur_ns AS INTEGER) AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  count(*) AS count,\n"
	"  count(*) * 1.0 / l.steps AS per_step_ratio,\n"
	"  sum(a.dur) AS compile_ns,\n"
	"  max(a.dur) AS longest_ns,\n"
	"  sum(a.exposed_ns) AS exposed_ns,\n"
	"  min(a.step) AS first_step,\n"
	"  max(a.step) AS last_step,\n"
	"  min(a.name) AS compile_call,\n"
	"  min(a.caller) AS operation,\n"
	"  min(a.python) AS python,\n"
	"  sum(a.kind = 'first') AS first_count,\n"
	"  sum(a.kind = 'again') AS again_count,\n"
	"  sum(a.kind = 'unknown') AS unknown_count,\n"
	"  sum(a.changed IS 'nothing') AS lost_count,\n"
	"  sum(a.changed IS 'shapes') AS shapes_count,\n"
	"  sum(a.changed IS 'other') AS constant_count,\n"
	"  min(a.changed_operation) AS changed_operation,\n"
	"  min(a.recipe) AS recipe,\n"
	"  NULL AS told_by,\n"
	"  CASE WHEN (SELECT count(*) FROM logged) = 0 THEN NULL\n"
	"    WHEN (SELECT max(compiles) FROM logged) >= t.compiles THEN 'trace and files agree'\n"
	"    ELSE 'the files count fewer than the trace' END AS compared\n"
	"FROM again a\n"
	"JOIN later l\n"
	"JOIN total t\n"
	"WHERE t.compiles >= :min_per_step_ratio * l.steps AND l.steps > 0\n"
	"GROUP BY a.subject, a.op_sequence\n"
	"UNION ALL\n"
	"SELECT g.path, NULL, 'inferred', g.compiles, NULL, g.compile_ns, NULL, NULL, NULL, NULL, "
	"NULL, NULL,\n"
	"  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, g.told_by,\n"
	"  CASE WHEN NOT v.trace_sees THEN 'the trace cannot show it'\n"
	"    WHEN t.compiles > g.compiles THEN 'the files count fewer than the trace'\n"
	"    WHEN t.compiles > 0 THEN 'trace and files agree'\n"
	"    ELSE 'the trace has none after warm-up' END\n"
	"FROM logged g\n"
	"JOIN total t\n"
	"JOIN sees v\n"
	"WHERE g.compiles >= :min_logged_count\n"
	"ORDER BY gain_ns DESC, compile_ns DESC, subject\n";

const struct tc_heuristic tc_h_recompilation = {
	.id = "recompilation",
	.title = "Graphs are compiled again after warm-up",
	.advice = "Keep shapes and constants the same from step to step: pad or bucket inputs, "
		  "drop the last short batch, keep Python numbers that change out of the graph, "
		  "and put mark_step() around parts that must stay dynamic.",
	.why = "A graph that differs in one shape or constant is a new graph: the host compiles it "
	       "before the device can go on.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source =
		"Intel Gaudi model optimization (constants in loops, mark_step); habana_perf_tool "
		"reports any compile; threshold: own.",
};
