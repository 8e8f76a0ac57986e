/*
 * Device work that starts before the call that launched it: the clocks of host and device
 * disagree.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"launches", NULL};
static const char *const reads[] = {"import_log", "metric", NULL};
static const struct tc_param params[] = {
	{"serious_pct", "pct", 1, 0, 100,
		"share of the launched operations that start too early from which the note is "
		"serious; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH skew AS (\n"
	"  SELECT sum(count) AS ops, min(message) AS message\n"
	"  FROM import_log\n"
	"  WHERE trace_id = :trace_id AND kind = 'clock_skew'),\n"
	"zero AS (\n" /* has a note of its own; its launches look late, too */
	"  SELECT coalesce(sum(count), 0) AS ops\n"
	"  FROM import_log\n"
	"  WHERE trace_id = :trace_id AND kind = 'zero_timestamp'),\n"
	"launched AS (\n"
	"  SELECT sum(value) AS ops FROM metric\n"
	"  WHERE trace_id = :trace_id AND name = 'launched_op_count' AND device IS NOT NULL\n"
	"    AND step IS NULL)\n"
	"SELECT\n"
	"  'device work before its launch' AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  s.ops AS count,\n"
	"  coalesce(s.ops * 100.0 >= :serious_pct * l.ops, 1) AS serious,\n"
	"  s.ops * 100.0 / l.ops AS share_pct,\n"
	"  s.message AS message\n"
	"FROM skew s\n"
	"JOIN launched l\n"
	"JOIN zero z\n"
	"WHERE s.ops > z.ops\n"
	"ORDER BY subject\n";

const struct tc_heuristic tc_h_clock_skew = {
	.id = "clock-skew",
	.title = "Host and device clocks disagree",
	.advice = "Record again; if it stays, update driver and profiler. Do not trust delays "
		  "between host and device in this trace.",
	.why = "Gaps, launch delays and their causes compare host and device times, and are wrong "
	       "by as much as the clocks differ.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Public reports of wrong gaps between CPU and device in Gaudi traces; threshold: "
		  "own.",
};
