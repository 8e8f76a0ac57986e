/*
 * The host stops until the device is done and loses its lead, so the device then waits for the
 * host. A wait costs no more than it lasts, and no more than the idle time up to the next one. One
 * row per operation that waits.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"host_block", "steady", "host_wait", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 0.5, 0, 1000000,
		"waits that cost idle time, per step, from which they are told; own choice: at "
		"least in every other step"},
	{"min_cost_pct", "pct", 2, 0, 100,
		"idle time put down to the waits, as share of the wall time, from which it is "
		"told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH blocking AS (\n"
	"  SELECT coalesce(nullif(b.caller, ''), b.name) AS operation, b.name, b.python, b.dur, "
	"b.idle_ns,\n"
	"    b.cost_ns\n"
	"  FROM host_block b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind = 'sync' AND b.cost_ns > 0),\n"
	"released AS (\n"
	"  SELECT coalesce(nullif(r.caller, ''), r.name) AS operation, r.op,\n"
	"    row_number() OVER (PARTITION BY coalesce(nullif(r.caller, ''), r.name)\n"
	"      ORDER BY sum(r.op_ns) DESC, r.op) AS place\n"
	"  FROM host_wait r\n"
	"  WHERE r.trace_id = :trace_id AND r.op IS NOT NULL\n"
	"  GROUP BY coalesce(nullif(r.caller, ''), r.name), r.op)\n"
	"SELECT\n"
	"  x.operation AS subject,\n"
	"  sum(x.cost_ns) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  count(*) AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  sum(x.dur) AS blocked_ns,\n"
	"  sum(x.idle_ns) AS idle_after_ns,\n"
	"  max(x.cost_ns) AS largest_cost_ns,\n"
	"  min(x.name) AS waiting_call,\n"
	"  (SELECT r.op FROM released r WHERE r.operation = x.operation AND r.place = 1) AS "
	"waited_for,\n"
	"  min(x.python) AS python\n"
	"FROM blocking x\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT count(*) FROM blocking) >= :min_per_step_ratio * w.step_count\n"
	"  AND (SELECT sum(cost_ns) FROM blocking) * 100.0 >= :min_cost_pct * w.wall_ns\n"
	"GROUP BY x.operation\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_device_sync = {
	.id = "device-sync",
	.title = "The host waits for the device inside the steps",
	.advice = "{read_less}, and drop calls to item(), cpu(), nonzero() and synchronize() from "
		  "the loop.",
	.why = "While it waits the host cannot prepare the next work, so the device runs dry after "
	       "every wait.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_HELD | TC_BUCKET_TRANSFER,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (print every 20 or more iterations); PyTorch "
		  "performance tuning guide (avoid synchronisation); thresholds: own.",
};
