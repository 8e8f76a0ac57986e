/*
 * The host waits in copies to the device while the device has nothing to do. One row per call and
 * operation.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"steady_host_event", "host_total", "op_total", "steady", NULL};
static const struct tc_param params[] = {
	{"min_exposed_pct", "pct", 5, 0, 100,
		"copy time on the host with no device at work, as share of the wall time, from "
		"which it is told; habana_perf_tool speaks up at 11.6 % and is silent at 4.6 %"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH input AS (\n"
	"  SELECT e.name || CASE WHEN e.caller <> '' AND e.caller <> e.name THEN ' in ' || "
	"e.caller\n"
	"      ELSE '' END AS call,\n"
	"    e.dur, e.exposed_ns, e.python, e.before_device\n"
	"  FROM steady_host_event e\n"
	"  WHERE e.trace_id = :trace_id AND e.role = 'input_copy' AND e.name NOT LIKE "
	"'%pin_memory%'),\n"
	"sure AS (\n"
	"  SELECT coalesce(sum(CASE WHEN NOT before_device THEN exposed_ns END),\n"
	"    sum(exposed_ns)) AS exposed_ns\n"
	"  FROM input)\n"
	"SELECT\n"
	"  i.call AS subject,\n"
	"  sum(i.exposed_ns) AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  count(*) AS count,\n"
	"  sum(i.exposed_ns) * 100.0 / w.wall_ns AS exposed_pct,\n"
	"  sum(i.dur) AS copy_call_ns,\n"
	"  max(i.dur) AS longest_call_ns,\n"
	"  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  (SELECT coalesce(sum(h.count), 0) FROM host_total h WHERE h.trace_id = :trace_id\n"
	"    AND h.name LIKE 'aten::%pin_memory') AS pin_memory_count,\n"
	"  (SELECT coalesce(sum(o.count), 0) FROM op_total o WHERE o.trace_id = :trace_id\n"
	"    AND o.name LIKE '%HtoD%ageable%') AS pageable_copy_count,\n"
	"  min(i.python) AS python\n"
	"FROM input i\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT exposed_ns FROM sure) * 100.0 >= :min_exposed_pct * w.wall_ns\n"
	"GROUP BY i.call\n"
	"HAVING gain_ns > 0\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_input_copy_blocking = {
	.id = "input-copy-blocking",
	.title = "The device waits for inputs to be copied to it",
	.advice = "Pin the host memory (pin_memory=True in the DataLoader) and copy with "
		  "non_blocking=True, so that the host goes on while the copy runs.",
	.why = "A copy from pageable memory blocks the host until it is done, and nothing is "
	       "launched meanwhile.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (pinned memory, non-blocking copies); PyTorch "
		  "performance tuning guide.",
};
