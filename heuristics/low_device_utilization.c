/*
 * The device is idle most of the time, whatever the cause. An umbrella: its gain is what the
 * heuristics of the single causes leave unexplained. One row per device.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"metric", "gap", NULL};
static const struct tc_param params[] = {
	{"max_busy_pct", "pct", 50, 0, 100,
		"share of the wall time in which the device works, below which it is told; 50 % is "
		"where torch_tb_profiler speaks up"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH cause AS (\n"
	"  SELECT device, cause, sum(dur) AS dur_ns,\n"
	"    row_number() OVER (PARTITION BY device ORDER BY sum(dur) DESC, cause) AS place\n"
	"  FROM gap WHERE trace_id = :trace_id GROUP BY device, cause),\n"
	"fact AS (\n"
	"  SELECT m.device, CASE m.name WHEN 'device_busy_pct' THEN m.value END AS busy_pct,\n"
	"    CASE m.name WHEN 'device_wait_ns' THEN m.value END AS idle_ns,\n"
	"    NULL AS cause, NULL AS cause_ns\n"
	"  FROM metric m\n"
	"  WHERE m.trace_id = :trace_id AND m.name IN ('device_busy_pct', 'device_wait_ns')\n"
	"    AND m.device IS NOT NULL AND m.step IS NULL\n"
	"  UNION ALL\n"
	"  SELECT c.device, NULL, NULL, c.cause, c.dur_ns FROM cause c WHERE c.place = 1),\n"
	"total AS (\n"
	"  SELECT device, max(busy_pct) AS busy_pct, max(idle_ns) AS idle_ns, max(cause) AS "
	"cause,\n"
	"    max(cause_ns) AS cause_ns\n"
	"  FROM fact GROUP BY device)\n"
	"SELECT\n"
	"  'device ' || t.device AS subject,\n"
	"  t.idle_ns AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  NULL AS count,\n"
	"  t.busy_pct AS busy_pct,\n"
	"  t.idle_ns AS idle_ns,\n"
	"  t.cause AS largest_cause,\n"
	"  t.cause_ns AS largest_cause_ns\n"
	"FROM total t\n"
	"WHERE t.busy_pct < :max_busy_pct AND t.idle_ns IS NOT NULL\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_low_device_utilization = {
	.id = "low-device-utilization",
	.title = "The device is idle most of the time",
	.advice = "Follow the advice on the single causes first; if none is told, try a larger "
		  "batch, and record host activity to see what the device waits for.",
	.why = "Less than half of the time that is paid for is used.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_REST,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (batch size); threshold: torch_tb_profiler.",
};
