/*
 * Host slices only: device profiling was off, or its part is missing.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", NULL};
static const char *const reads[] = {"trace", "capability", "import_log", NULL};
static const struct tc_param params[] = {TC_PARAM_END};

static const char sql[] =
	"SELECT\n"
	"  CASE WHEN EXISTS (SELECT 1 FROM import_log l WHERE l.trace_id = t.id\n"
	"      AND l.kind IN ('truncated', 'starts_midway', 'source_cut'))\n"
	"    THEN 'no device operations in the part that was read; the part that is "
	"cut off may hold some'\n"
	"    ELSE 'no device operations' END AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  NULL AS count,\n"
	"  1 AS serious,\n"
	"  t.event_count AS event_count,\n"
	"  t.device_name AS device_name\n"
	"FROM trace t\n"
	"WHERE t.id = :trace_id\n"
	"  AND NOT EXISTS (SELECT 1 FROM capability c\n"
	"    WHERE c.trace_id = t.id AND c.name = 'device' AND c.present)\n"
	"ORDER BY t.id\n";

const struct tc_heuristic tc_h_no_device_events = {
	.id = "no-device-events",
	.title = "The trace has no device work",
	.advice = "Switch device profiling on (the profiler's activities must name the device: "
		  "{activity}), and record at least one step after warm-up.",
	.why = "Without device work nothing can be said about busy and idle time, engines or gain.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "tracecoach: a trace without device work must not look healthy.",
};
