/*
 * Operations that the device lacks run on the CPU, with their tensors copied there and back. Told
 * by the bridge's mark, or by a copy down and a copy up within one operation. One row per
 * operation.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"bridge", NULL};
static const char *const reads[] = {"host_block", "steady", NULL};
static const struct tc_param params[] = {
	{"min_count", "count", 1, 1, 1000000,
		"fallbacks in the trace, warm-up apart, from which they are told; one per step "
		"already stops the device"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH half AS (\n"
	"  SELECT b.caller, b.name, b.role, b.dur, b.python, b.cost_ns + b.exposed_ns AS cost_ns\n"
	"  FROM host_block b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind = 'cpu_fallback'),\n"
	"fallback AS (\n"
	"  SELECT coalesce(nullif(h.caller, ''), h.name) AS operation,\n"
	"    sum(h.role <> 'input_copy') AS times, sum(h.dur) AS dur_ns, sum(h.cost_ns) AS "
	"cost_ns,\n"
	"    min(h.name) AS host_call, min(h.python) AS python,\n"
	"    max(h.role = 'cpu_fallback') AS is_marked\n"
	"  FROM half h\n"
	"  GROUP BY operation)\n"
	"SELECT\n"
	"  f.operation AS subject,\n"
	"  f.cost_ns AS gain_ns,\n"
	"  CASE WHEN f.is_marked THEN 'measured' ELSE 'inferred' END AS confidence,\n"
	"  f.times AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN f.times * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  f.dur_ns AS blocked_ns,\n"
	"  f.cost_ns / f.times AS mean_cost_ns,\n"
	"  f.host_call AS host_call,\n"
	"  f.python AS python\n"
	"FROM fallback f\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT sum(times) FROM fallback) >= :min_count AND f.times > 0\n"
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
