/*
 * The device is idle most of the time, whatever the cause. An umbrella: its gain is what the
 * heuristics of the single causes leave unexplained. Warm-up steps are left out, which
 * warm-up-in-trace tells. One row per device.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", "idle", NULL};
static const char *const reads[] = {"metric", "step", "steady", "steady_gap", NULL};
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
	"  FROM steady_gap WHERE trace_id = :trace_id GROUP BY device, cause),\n"
	"warm AS (SELECT number FROM step WHERE trace_id = :trace_id AND is_warm_up),\n"
	"metrics AS (\n"
	"  SELECT device,\n"
	"    sum(CASE WHEN name = 'device_wait_ns' THEN iif(step IS NULL, value, -value) END)\n"
	"      AS idle_ns,\n"
	"    sum(CASE WHEN name = 'device_idle_ns' AND step IS NULL THEN value END)\n"
	"      AS between_ns\n"
	"  FROM metric\n"
	"  WHERE trace_id = :trace_id AND device IS NOT NULL\n"
	"    AND name IN ('device_wait_ns', 'device_idle_ns')\n"
	"    AND (step IS NULL OR step IN (SELECT number FROM warm))\n"
	"  GROUP BY device),\n"
	"total AS (\n"
	"  SELECT d.device, d.idle_ns, d.between_ns,\n"
	"    100 - d.idle_ns * 100.0 / nullif(w.wall_ns, 0) AS busy_pct\n"
	"  FROM metrics d JOIN steady w ON w.trace_id = :trace_id)\n"
	"SELECT\n"
	"  'device ' || t.device AS subject,\n"
	"  t.idle_ns AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  NULL AS count,\n"
	"  t.busy_pct AS busy_pct,\n"
	"  t.idle_ns AS idle_ns,\n"
	"  max(t.idle_ns - t.between_ns, 0) AS edge_idle_ns,\n"
	"  c.cause AS largest_cause,\n"
	"  c.dur_ns AS largest_cause_ns\n"
	"FROM total t LEFT JOIN cause c ON c.device = t.device AND c.place = 1\n"
	"WHERE t.busy_pct < :max_busy_pct AND t.idle_ns IS NOT NULL\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_low_device_utilization = {
	.id = "low-device-utilization",
	.title = "The device is idle beyond what other advice explains",
	.advice =
		"Follow the advice on the single causes first; if none is told, try a larger "
		"batch, and record host activity to see what the device waits for. Where launched "
		"work is already queued, look at the streams, devices and ranks that it waits for. "
		"What "
		"lies before the first or after the last operation weighs less the more steady "
		"steps are recorded.",
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
