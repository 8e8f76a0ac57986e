/*
 * The host stops until the device is done, and the device then waits for the host to catch up.
 * Waits that end in the same idle time are counted once. A wait can win back no more than it
 * lasts. One row per operation that waits.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"steady_host_event", "steady", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 1, 0, 1000000,
		"blocking waits per step from which they are told; own choice"},
	{"min_idle_pct", "pct", 2, 0, 100,
		"idle time that the waits cause, as share of the wall time, from which it is told; "
		"own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH wait AS (\n"
	"  SELECT coalesce(nullif(e.caller, ''), e.name) AS operation, e.name, e.python, e.dur,\n"
	"    min(e.dur, e.idle_after_ns) AS cost_ns, e.idle_after_ns,\n"
	"    row_number() OVER (PARTITION BY e.ts + e.dur + e.idle_after_ns\n"
	"      ORDER BY e.idle_after_ns DESC, e.ts, e.id) AS place\n"
	"  FROM steady_host_event e\n"
	"  WHERE e.trace_id = :trace_id AND e.role IN ('sync', 'output_copy')),\n"
	"once AS (\n"
	"  SELECT * FROM wait WHERE place = 1)\n"
	"SELECT\n"
	"  o.operation AS subject,\n"
	"  sum(o.cost_ns) AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  count(*) AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  sum(o.dur) AS blocked_ns,\n"
	"  sum(o.idle_after_ns) AS idle_after_ns,\n"
	"  max(o.idle_after_ns) AS longest_idle_ns,\n"
	"  min(o.name) AS waiting_call,\n"
	"  min(o.python) AS python\n"
	"FROM once o\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT count(*) FROM once) >= :min_per_step_ratio * w.step_count\n"
	"  AND (SELECT sum(cost_ns) FROM once) * 100.0 >= :min_idle_pct * w.wall_ns\n"
	"GROUP BY o.operation\n"
	"HAVING gain_ns > 0\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_device_sync = {
	.id = "device-sync",
	.title = "The host waits for the device inside the steps",
	.advice = "Read values back less often: log every 20 steps or more, keep running sums on "
		  "the device, and drop calls to item(), cpu(), nonzero() and synchronize() from "
		  "the step.",
	.why = "While it waits the host cannot prepare the next work, so the device runs dry after "
	       "every wait.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (print every 20 or more iterations); PyTorch "
		  "performance tuning guide (avoid synchronisation); thresholds: own.",
};
