/*
 * Device work only: the host was not recorded, so causes cannot be told.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"trace", "capability", NULL};
static const struct tc_param params[] = {TC_PARAM_END};

static const char sql[] = "SELECT\n"
			  "  'no host slices' AS subject,\n"
			  "  NULL AS gain_ns,\n"
			  "  'measured' AS confidence,\n"
			  "  NULL AS count,\n"
			  "  0 AS serious,\n"
			  "  t.event_count AS event_count\n"
			  "FROM trace t\n"
			  "WHERE t.id = :trace_id\n"
			  "  AND NOT EXISTS (SELECT 1 FROM capability c\n"
			  "    WHERE c.trace_id = t.id AND c.name = 'host' AND c.present)\n"
			  "ORDER BY t.id\n";

const struct tc_heuristic tc_h_no_host_events = {
	.id = "no-host-events",
	.title = "The trace has no host activity",
	.advice = "Record CPU activity too (ProfilerActivity.CPU); it costs little and tells what "
		  "the device waits for.",
	.why = "Idle time of the device can be measured, but not what caused it: loader, compiler, "
	       "copies and launches do not show.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "tracecoach: what a trace cannot show is said.",
};
