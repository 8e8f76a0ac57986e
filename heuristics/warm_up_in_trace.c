/*
 * A first step that is much longer than the others: start-up, compiles, caches.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"steps", NULL};
static const char *const reads[] = {"step", NULL};
static const struct tc_param params[] = {TC_PARAM_END};

static const char sql[] = "SELECT\n"
			  "  s.name AS subject,\n"
			  "  NULL AS gain_ns,\n"
			  "  'measured' AS confidence,\n"
			  "  1 AS count,\n"
			  "  0 AS serious,\n"
			  "  s.dur AS step_ns,\n"
			  "  CAST(o.mean_ns AS INTEGER) AS mean_other_step_ns,\n"
			  "  s.dur / o.mean_ns AS longer_ratio\n"
			  "FROM step s\n"
			  "JOIN (SELECT avg(x.dur) AS mean_ns FROM step x\n"
			  "  WHERE x.trace_id = :trace_id AND NOT x.is_warm_up) o\n"
			  "WHERE s.trace_id = :trace_id AND s.is_warm_up\n"
			  "ORDER BY s.ts, s.id\n";

const struct tc_heuristic tc_h_warm_up_in_trace = {
	.id = "warm-up-in-trace",
	.title = "The first step is warm-up",
	.advice = "Give the profiler's schedule more wait and warm-up steps, so that recording "
		  "starts when steps are steady.",
	.why = "It is left out of what is told per step, but totals over the whole trace contain "
	       "it.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Optimum Habana (the first iterations compile graphs); a first step of at least "
		  "twice the median of the others counts.",
};
