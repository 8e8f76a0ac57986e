/* The file ended, or started, in the middle: what is missing cannot be told from what is there. */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {NULL};
static const char *const reads[] = {"import_log", "trace", NULL};
static const struct tc_param params[] = {TC_PARAM_END};

static const char sql[] =
	"SELECT\n"
	"  CASE l.kind\n"
	"    WHEN 'starts_midway' THEN 'the file starts in the middle of an event list'\n"
	"    WHEN 'source_cut' THEN 'the compressed data end early or are damaged'\n"
	"    ELSE 'the file ends in the middle of an event list' END\n"
	"    || '; how much is lost is not known' AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  1 AS count,\n"
	"  1 AS serious,\n"
	"  CASE l.kind WHEN 'truncated' THEN l.count END AS cut_event_bytes,\n"
	"  CASE l.kind WHEN 'starts_midway' THEN l.count END AS skipped_bytes,\n"
	"  l.byte_offset AS offset_bytes,\n"
	"  t.read_bytes AS read_bytes,\n"
	"  t.event_count AS event_count,\n"
	"  l.message AS message\n"
	"FROM import_log l\n"
	"JOIN trace t ON t.id = l.trace_id\n"
	"WHERE l.trace_id = :trace_id\n"
	"  AND l.kind IN ('truncated', 'starts_midway', 'source_cut')\n"
	"ORDER BY l.byte_offset, l.kind, l.message\n";

const struct tc_heuristic tc_h_truncated_trace = {
	.id = "truncated-trace",
	.title = "The trace is cut off",
	.advice = "Record it again and let the profiler finish: leave its with block, or call "
		  "stop(), before the process ends, and check that the disk is not full.",
	.why = "Totals, idle times and step counts are those of the part that was kept; the rest "
	       "of the run may look different.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "tracecoach: any cut found by the import is reported, however small.",
};
