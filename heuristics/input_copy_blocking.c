/*
 * The host is held up by copies to the device and loses its lead; copies from pageable memory run
 * while nothing computes. One row per call and operation, and one per pageable copy.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {
	"host_block", "busiest_device", "op_total", "host_total", "steady", NULL};
static const struct tc_param params[] = {
	{"min_cost_pct", "pct", 5, 0, 100,
		"idle time put down to such copies, and pageable copies under no other work, as "
		"share of the wall time from which they are told; habana_perf_tool speaks up at "
		"11.6 % and is silent at 4.6 %"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH input AS (\n"
	"  SELECT b.name || CASE WHEN b.caller <> '' AND b.caller <> b.name THEN ' in ' || "
	"b.caller\n"
	"      ELSE '' END AS call,\n"
	"    b.dur, min(b.dur, b.exposed_ns + b.idle_ns + b.transfer_ns + b.after_transfer_ns) AS "
	"cost_ns,\n"
	"    b.transfer_ns + b.after_transfer_ns AS transfer_ns, b.python\n"
	"  FROM host_block b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind = 'input_copy' AND b.name NOT LIKE "
	"'%pin_memory%'),\n"
	"part AS (\n"
	"  SELECT i.call AS subject, CAST(total(i.cost_ns) AS INTEGER) AS gain_ns, count(*) AS "
	"calls,\n"
	"    CAST(total(i.dur) AS INTEGER) AS dur_ns, max(i.dur) AS longest_ns,\n"
	"    CAST(total(i.transfer_ns) AS INTEGER) AS transfer_ns, min(i.python) AS python\n"
	"  FROM input i GROUP BY i.call\n"
	"  UNION ALL\n"
	"  SELECT o.name, max(sum(o.exclusive_ns) - (SELECT CAST(total(i.transfer_ns) AS INTEGER)\n"
	"      FROM input i), 0),\n"
	"    sum(o.count), CAST(total(o.dur_ns) AS INTEGER), max(o.max_ns), sum(o.exclusive_ns), "
	"NULL\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id AND o.name LIKE '%HtoD%Pageable%' GROUP BY o.name)\n"
	"SELECT\n"
	"  p.subject AS subject,\n"
	"  p.gain_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  p.calls AS count,\n"
	"  p.gain_ns * 100.0 / w.wall_ns AS cost_pct,\n"
	"  p.dur_ns AS copy_ns,\n"
	"  p.longest_ns AS longest_ns,\n"
	"  p.transfer_ns AS exposed_transfer_ns,\n"
	"  CASE WHEN w.step_count > 0 THEN p.calls * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  (SELECT coalesce(sum(h.count), 0) FROM host_total h WHERE h.trace_id = :trace_id\n"
	"    AND h.name LIKE 'aten::%pin_memory') AS pin_memory_count,\n"
	"  p.python AS python\n"
	"FROM part p\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT total(gain_ns) FROM part) * 100.0 >= :min_cost_pct * w.wall_ns\n"
	"  AND p.gain_ns > 0\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_input_copy_blocking = {
	.id = "input-copy-blocking",
	.title = "The device waits for inputs to be copied to it",
	.advice = "Pin the host memory (pin_memory=True in the DataLoader) and copy with "
		  "non_blocking=True, so that the host goes on while the copy runs.",
	.why = "A copy from pageable memory blocks the host until it is done, and nothing is "
	       "launched meanwhile.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_HELD | TC_BUCKET_COPIES,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (pinned memory, non-blocking copies); PyTorch "
		  "performance tuning guide.",
};
