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
	"  FROM gap WHERE trace_id = :trace_id GROUP BY device, cause)\n"
	"SELECT\n"
	"  'device ' || b.device AS subject,\n"
	"  w.value AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  NULL AS count,\n"
	"  b.value AS busy_pct,\n"
	"  w.value AS idle_ns,\n"
	"  c.cause AS largest_cause,\n"
	"  c.dur_ns AS largest_cause_ns\n"
	"FROM metric b\n"
	"JOIN metric w ON w.trace_id = b.trace_id AND w.name = 'device_wait_ns'\n"
	"  AND w.device = b.device AND w.step IS NULL\n"
	"LEFT JOIN cause c ON c.device = b.device AND c.place = 1\n"
	"WHERE b.trace_id = :trace_id AND b.name = 'device_busy_pct' AND b.device IS NOT NULL\n"
	"  AND b.step IS NULL AND b.value < :max_busy_pct\n"
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
