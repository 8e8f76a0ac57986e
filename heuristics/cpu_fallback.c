/*
 * Operations that the device lacks run on the CPU, with their tensors copied there and back. One
 * row per operation. Only what the bridge marks as a fallback is told.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"bridge", NULL};
static const char *const reads[] = {"steady", "steady_host_event", NULL};
static const struct tc_param params[] = {
	{"min_count", "count", 1, 1, 1000000,
		"fallbacks in the trace, warm-up apart, from which they are told; one per step "
		"already stops the device"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH fallback AS (\n"
	"  SELECT coalesce(nullif(e.caller, ''), e.name) AS operation, e.dur,\n"
	"    e.exposed_ns + e.idle_after_ns AS idle_ns, e.name, e.python\n"
	"  FROM steady_host_event e\n"
	"  WHERE e.trace_id = :trace_id AND e.role = 'cpu_fallback')\n"
	"SELECT\n"
	"  f.operation AS subject,\n"
	"  sum(f.idle_ns) AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  count(*) AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  sum(f.dur) AS host_ns,\n"
	"  sum(f.dur) / count(*) AS mean_ns,\n"
	"  min(f.name) AS host_call,\n"
	"  min(f.python) AS python\n"
	"FROM fallback f\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT count(*) FROM fallback) >= :min_count\n"
	"GROUP BY f.operation\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_cpu_fallback = {
	.id = "cpu-fallback",
	.title = "Operations fall back to the CPU",
	.advice = "Replace the operation by supported ones, or cast its inputs to a supported type "
		  "before it; if it must stay, take it out of the step.",
	.why = "The tensors go to the host and back, and the device has nothing to do until the "
	       "result is there again.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (placement of operations on the HPU).",
};
