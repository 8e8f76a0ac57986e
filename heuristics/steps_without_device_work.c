/*
 * Steps that launched nothing: device recording started late, ended early or lost its data.
 * Numbers over such steps look like idle time or, worse, like health.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"steps", "device", NULL};
static const char *const reads[] = {"metric", "step", NULL};
static const struct tc_param params[] = {
	{"max_missing_pct", "pct", 20, 0, 100,
		"steps without device work as share of the time of all steps above which it is "
		"told; own choice: the last step of a recording is often cut short and has none"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH work AS (\n"
	"  SELECT s.number, s.dur,\n"
	"    coalesce((SELECT max(m.value) FROM metric m WHERE m.trace_id = s.trace_id\n"
	"      AND m.name = 'device_op_count' AND m.step = s.number), 0) AS ops\n"
	"  FROM step s\n"
	"  WHERE s.trace_id = :trace_id),\n"
	"total AS (\n"
	"  SELECT count(*) AS steps, sum(ops = 0) AS empty, total(dur) AS dur_ns,\n"
	"    total(CASE WHEN ops = 0 THEN dur ELSE 0 END) AS empty_ns,\n"
	"    min(CASE WHEN ops > 0 THEN number END) AS first_with_work,\n"
	"    max(CASE WHEN ops > 0 THEN number END) AS last_with_work\n"
	"  FROM work)\n"
	"SELECT\n"
	"  t.empty || ' of ' || t.steps || ' steps have no device work' AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  t.empty AS count,\n"
	"  1 AS serious,\n"
	"  t.empty_ns * 100.0 / t.dur_ns AS missing_pct,\n"
	"  t.steps AS step_count,\n"
	"  t.first_with_work AS first_step_with_work,\n"
	"  t.last_with_work AS last_step_with_work\n"
	"FROM total t\n"
	"WHERE t.empty_ns * 100.0 > :max_missing_pct * t.dur_ns\n"
	"ORDER BY subject\n";

const struct tc_heuristic tc_h_steps_without_device_work = {
	.id = "steps-without-device-work",
	.title = "Device work is missing in some of the steps",
	.advice = "Record again with a longer warm-up in the profiler's schedule; if it stays, the "
		  "device's trace buffer is too small for so many steps: record fewer.",
	.why = "Where device work was not recorded, the device looks idle; shares and means over "
	       "all steps are wrong.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Reports of degenerate traces that other tools call healthy (device events in 2 "
		  "of 32 steps).",
};
