/*
 * Graphs are compiled again after warm-up. The gain is the time in compiles with no device at
 * work, or the gaps that the analysis puts down to them where that is more: a compile may run on
 * after the device has stopped. One row per recipe, or per operation around the compile where the
 * recipe is not named.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"bridge", "steps", NULL};
static const char *const reads[] = {"step", "steady_host_event", "steady_gap", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 0.1, 0, 1000,
		"compilations per step, on average over the steps after the first, from which it "
		"is told; own choice: one compile in ten steps"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH later AS (\n"
	"  SELECT count(*) AS steps, min(number) AS first_step FROM step\n"
	"  WHERE trace_id = :trace_id AND NOT is_warm_up\n"
	"    AND ts > (SELECT min(ts) FROM step WHERE trace_id = :trace_id)),\n"
	"again AS (\n"
	"  SELECT coalesce(json_extract(e.detail, '$.recipe'), nullif(e.caller, ''), e.name) AS "
	"subject,\n"
	"    e.name, e.dur, e.exposed_ns, e.step, e.caller, e.python\n"
	"  FROM steady_host_event e\n"
	"  WHERE e.trace_id = :trace_id AND e.role = 'compile' AND NOT e.is_warm_up),\n"
	"total AS (\n"
	"  SELECT count(*) AS compiles, sum(dur) AS dur_ns, max(sum(exposed_ns), (\n"
	"      SELECT coalesce(sum(g.dur), 0) FROM steady_gap g\n"
	"      WHERE g.trace_id = :trace_id AND g.cause = 'compile'\n"
	"        AND g.step >= (SELECT first_step FROM later))) AS idle_ns\n"
	"  FROM again)\n"
	"SELECT\n"
	"  a.subject AS subject,\n"
	"  CAST(t.idle_ns * 1.0 * sum(a.dur) / t.dur_ns AS INTEGER) AS gain_ns,\n"
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
	"  min(a.python) AS python\n"
	"FROM again a\n"
	"JOIN later l\n"
	"JOIN total t\n"
	"WHERE t.compiles >= :min_per_step_ratio * l.steps AND l.steps > 0\n"
	"GROUP BY a.subject\n"
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
