/*
 * Events that the import could not keep, cuts apart.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {NULL};
static const char *const reads[] = {"import_log", "trace", NULL};
static const struct tc_param params[] = {
	{"serious_pct", "pct", 1, 0, 100,
		"share of the events, or of the bytes, that were lost from which the note is "
		"serious; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"SELECT\n"
	"  l.kind AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  sum(l.count) AS count,\n"
	"  max(l.count * 100.0 >= :serious_pct\n"
	"    * CASE WHEN l.kind IN ('damaged_event', 'trailing_garbage') THEN t.read_bytes\n"
	"      ELSE t.event_count END) AS serious,\n"
	"  min(l.byte_offset) AS first_offset_bytes,\n"
	"  min(l.message) AS first_message,\n"
	"  t.event_count AS event_count\n"
	"FROM import_log l\n"
	"JOIN trace t ON t.id = l.trace_id\n"
	"WHERE l.trace_id = :trace_id AND l.severity = 'data_loss'\n"
	"  AND l.kind NOT IN ('truncated', 'starts_midway', 'source_cut')\n"
	"GROUP BY l.kind\n"
	"ORDER BY serious DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_dropped_events = {
	.id = "dropped-events",
	.title = "Parts of the file could not be read",
	.advice = "Look at the kinds and places below; mostly a newer version of the profiler "
		  "writes them right. Where the file was edited or merged, use the original.",
	.why = "What was dropped is missing from every number.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "tracecoach: every loss the import met is told.",
};
