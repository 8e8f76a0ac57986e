/*
 * Waits for the device within a Python frame that prints or logs, or right before one. One row per
 * call that prints.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", "stacks", NULL};
static const char *const part_of[] = {"device-sync", NULL};
static const char *const reads[] = {"host_block", "host_event", "framework_op", "steady", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 0.05, 0, 1000000,
		"such waits per step from which they are told; the Gaudi guide prints every "
		"20 iterations or more"},
	{"max_delay_ns", "ns", 1000000, 0, 10000000000,
		"time from the end of a wait to the start of the call that prints within "
		"which they belong together; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH wait AS (\n"
	"  SELECT b.id, b.cost_ns, b.dur, b.name, b.caller, b.python, h.thread_id, b.ts,\n"
	"    b.ts + b.dur AS end_ts\n"
	"  FROM host_block b\n"
	"  JOIN host_event h ON h.id = b.id\n"
	"  WHERE b.trace_id = :trace_id AND b.kind = 'sync' AND b.cost_ns > 0),\n"
	"mark AS (\n"
	"  SELECT w.id, w.thread_id, w.end_ts AS at, NULL AS print_ts, NULL AS name\n"
	"  FROM wait w\n"
	"  UNION ALL\n"
	"  SELECT NULL, f.thread_id, f.ts, f.ts, f.name\n"
	"  FROM framework_op f\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'printing'),\n"
	"around AS (\n"
	"  SELECT m.id, m.at,\n"
	"    lead(m.name) OVER next AS next_name, lead(m.print_ts) OVER next AS next_ts,\n"
	"    (SELECT max(f.name) FROM framework_op f\n"
	"      WHERE f.trace_id = :trace_id AND f.kind = 'printing' AND m.id IS NOT NULL\n"
	"        AND f.thread_id = m.thread_id AND f.ts < m.at AND f.ts + f.dur >= m.at) AS "
	"open_name\n"
	"  FROM mark m\n"
	"  WINDOW next AS (PARTITION BY m.thread_id ORDER BY m.at, m.id)),\n"
	"printed AS (\n"
	"  SELECT w.*, coalesce(a.open_name, a.next_name) AS printed_by\n"
	"  FROM around a\n"
	"  JOIN wait w ON w.id = a.id\n"
	"  WHERE a.open_name IS NOT NULL OR a.next_ts - a.at <= :max_delay_ns)\n"
	"SELECT\n"
	"  p.printed_by AS subject,\n"
	"  sum(p.cost_ns) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  count(*) AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  sum(p.dur) AS blocked_ns,\n"
	"  min(coalesce(nullif(p.caller, ''), p.name)) AS waiting_call,\n"
	"  min(p.python) AS python\n"
	"FROM printed p\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT count(*) FROM printed) >= :min_per_step_ratio * w.step_count\n"
	"GROUP BY p.printed_by\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_progress_printing = {
	.id = "progress-printing",
	.title = "The program waits for the device to print progress",
	.advice = "Print or log every 20 steps or more, and collect the values on the device "
		  "until then.",
	.why = "A number can only be printed when the device has computed it, so the host "
	       "waits, and then the device waits for the host.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_HELD | TC_BUCKET_TRANSFER,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (refresh progress output every 20 "
		  "iterations or more); second threshold: own.",
};
