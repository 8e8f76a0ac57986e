/*
 * Fewer complete steps than a mean needs.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"steps", NULL};
static const char *const reads[] = {"step", NULL};
static const struct tc_param params[] = {
	{"min_step_count", "count", 3, 1, 1000,
		"complete steps below which it is told; with three the odd one out can be seen"},
	TC_PARAM_END,
};

static const char sql[] = "SELECT\n"
			  "  count(*) || ' complete step' || CASE WHEN count(*) > 1 THEN 's' ELSE "
			  "'' END AS subject,\n"
			  "  NULL AS gain_ns,\n"
			  "  'measured' AS confidence,\n"
			  "  count(*) AS count,\n"
			  "  0 AS serious,\n"
			  "  CAST(avg(s.dur) AS INTEGER) AS mean_step_ns\n"
			  "FROM step s\n"
			  "WHERE s.trace_id = :trace_id\n"
			  "HAVING count(*) < :min_step_count\n"
			  "ORDER BY subject\n";

const struct tc_heuristic tc_h_few_steps = {
	.id = "few-steps",
	.title = "Too few steps for steady numbers",
	.advice = "Record at least three active steps after warm-up; five to ten are plenty.",
	.why = "One or two steps cannot tell what is usual from what happened once.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "habana_perf_tool and the PyTorch profiler examples use three active steps; "
		  "threshold: own.",
};
