/*
 * Device work, or host slices, at ts 0, far before everything else: the clock could not be mapped, and
 * the writer put 0 for what came out negative. The accounts leave it out of all times.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"import_log", "metric", NULL};
static const struct tc_param params[] = {
	{"serious_pct", "pct", 1, 0, 100,
		"share of the device operations at ts 0 from which the note is serious; own "
		"choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH zero AS (\n"
	"  SELECT sum(count) AS ops\n"
	"  FROM import_log\n"
	"  WHERE trace_id = :trace_id AND kind = 'zero_timestamp'),\n"
	"total AS (\n"
	"  SELECT sum(value) AS ops FROM metric\n"
	"  WHERE trace_id = :trace_id AND name = 'device_op_count' AND device IS NOT NULL\n"
	"    AND step IS NULL)\n"
	"SELECT\n"
	"  'device work at time 0, far before the rest' AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  z.ops AS count,\n"
	"  coalesce(z.ops * 100.0 >= :serious_pct * t.ops, 1) AS serious,\n"
	"  z.ops * 100.0 / t.ops AS device_ops_pct\n"
	"FROM zero z\n"
	"JOIN total t\n"
	"WHERE z.ops > 0\n"
	"UNION ALL\n"
	"SELECT 'host slices at time 0, far before the rest', NULL, 'measured', sum(count), 0, "
	"NULL\n"
	"FROM import_log\n"
	"WHERE trace_id = :trace_id AND kind = 'zero_host_timestamp'\n"
	"HAVING sum(count) > 0\n"
	"ORDER BY subject\n";

const struct tc_heuristic tc_h_zero_timestamps = {
	.id = "zero-timestamps",
	.title = "Work without a start time was left out",
	.advice = "Record again; if it stays, update driver and profiler. Until then take the "
		  "device for busier than shown, and its idle time for less.",
	.why = "The device did this work, but the trace does not say when, so it counts in no busy "
	       "time and the device looks idle instead.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "The Gaudi bridge writes device times before its time base as 0; a public kineto "
		  "trace with a kernel at ts 0; threshold: own.",
};
