/*
 * The device is idle because the host has not yet built or launched the next work. Time in the
 * loader, in copies, compiles and waits has heuristics of its own and is not counted here, nor is
 * the idle time after a wait that cost the host its lead (host_block). One row per cause.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", "launches", NULL};
static const char *const reads[] = {
	"steady_gap", "slice_row", "label", "host_block", "steady", "capability", NULL};
static const struct tc_param params[] = {
	{"min_idle_pct", "pct", 10, 0, 100,
		"device idle time while the host builds graphs, dispatches operations or launches, "
		"as share of the wall time, from which it is told; own choice"},
	{"min_load_ns", "ns", 1000000, 1000, 1000000000000,
		"length from which the launch of a kernel that an idle device waits for is taken "
		"to load its code, and told by runtime-setup; own choice"},
	{"min_one_step_pct", "pct", 67, 0, 100,
		"share of a cause's idle time in one step from which the step is named, in runs of "
		"more than min_step_count; as in the verdict"},
	{"min_step_count", "count", 3, 1, 1000000,
		"steps that are no warm-up, above which it is news that one has most of it; own "
		"choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH own AS (\n"
	"  SELECT g.cause, g.step, g.dur, g.count, l.name\n"
	"  FROM steady_gap g LEFT JOIN slice_row s ON s.id = g.host_slice_id\n"
	"    LEFT JOIN label l ON l.id = s.label_id\n"
	"  WHERE g.trace_id = :trace_id\n"
	"    AND g.cause IN ('graph_build', 'dispatch', 'launch', 'host_other')\n"
	"    AND coalesce(g.cause = 'launch' AND g.count = 1 AND s.dur >= :min_load_ns\n"
	"      AND l.name LIKE '%kernel%', 0) = 0),\n"
	"one AS (\n"
	"  SELECT cause, step, dur_ns, row_number() OVER (PARTITION BY cause\n"
	"      ORDER BY dur_ns DESC, step) AS place\n"
	"  FROM (SELECT cause, step, sum(dur) AS dur_ns FROM own\n"
	"    WHERE step IS NOT NULL GROUP BY cause, step)),\n"
	"wait AS (\n"
	"  SELECT g.cause, g.name AS host_op, sum(g.dur) AS dur_ns, sum(g.count) AS gaps,\n"
	"    max(CASE WHEN g.count = 1 THEN g.dur END) AS longest_ns,\n"
	"    sum(iif(g.cause = 'host_other' AND g.count = 1 AND g.name IS NULL, g.dur, 0))\n"
	"      AS unrecorded_ns\n"
	"  FROM own g GROUP BY g.cause, g.name),\n"
	"cause AS (\n"
	"  SELECT cause, sum(dur_ns) AS dur_ns, sum(gaps) AS gaps, max(longest_ns) AS longest_ns,\n"
	"    sum(unrecorded_ns) AS unrecorded_ns\n"
	"  FROM wait GROUP BY cause),\n"
	"held AS (\n"
	"  SELECT coalesce(sum(held_ns), 0) AS held_ns FROM host_block WHERE trace_id = "
	":trace_id),\n"
	"total AS (\n"
	"  SELECT sum(c.dur_ns) AS dur_ns, max(sum(c.dur_ns) - h.held_ns, 0) AS own_ns,\n"
	"    min(h.held_ns, sum(c.dur_ns)) AS held_ns\n"
	"  FROM cause c JOIN held h),\n"
	"top AS (\n"
	"  SELECT cause, host_op, dur_ns,\n"
	"    row_number() OVER (PARTITION BY cause ORDER BY dur_ns DESC, host_op) AS place\n"
	"  FROM wait WHERE host_op IS NOT NULL)\n"
	"SELECT\n"
	"  CASE c.cause WHEN 'graph_build' THEN 'building graphs'\n"
	"    WHEN 'dispatch' THEN 'framework operations'\n"
	"    WHEN 'launch' THEN 'launch calls'\n"
	"    ELSE 'Python and everything else' END AS subject,\n"
	"  CAST(c.dur_ns * 1.0 * x.own_ns / x.dur_ns AS INTEGER) AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  c.gaps AS count,\n"
	"  c.dur_ns AS idle_ns,\n"
	"  c.dur_ns * 100.0 / w.wall_ns AS wall_pct,\n"
	"  c.dur_ns / c.gaps AS mean_gap_ns,\n"
	"  c.longest_ns AS longest_gap_ns,\n"
	"  t.host_op AS top_host_op,\n"
	"  t.dur_ns AS top_host_op_ns,\n"
	"  CASE WHEN w.step_count > 0 THEN c.dur_ns / w.step_count END AS idle_per_step_ns,\n"
	"  c.unrecorded_ns AS unrecorded_ns,\n"
	"  o.step AS mostly_in_step,\n"
	"  x.held_ns AS put_down_to_waits_ns,\n"
	"  (SELECT group_concat(CASE r.name WHEN 'stacks' THEN 'Python stacks' ELSE 'memory "
	"events' "
	"END,\n"
	"      ' and ') FROM (SELECT p.name FROM capability p WHERE p.trace_id = :trace_id\n"
	"      AND p.present AND p.name IN ('stacks', 'memory') ORDER BY p.name DESC) r) AS "
	"recorded\n"
	"FROM cause c\n"
	"JOIN total x\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"LEFT JOIN top t ON t.cause = c.cause AND t.place = 1\n"
	"LEFT JOIN one o ON o.cause = c.cause AND o.place = 1 AND w.step_count > :min_step_count\n"
	"  AND o.dur_ns * 100.0 >= :min_one_step_pct * c.dur_ns\n"
	"WHERE x.own_ns * 100.0 >= :min_idle_pct * w.wall_ns AND c.dur_ns > 0\n"
	"ORDER BY c.dur_ns DESC, c.cause\n";

const struct tc_heuristic tc_h_host_bound = {
	.id = "host-bound",
	.title = "The host cannot feed the device fast enough",
	.advice = "Give the host less to do per unit of device work: capture and replay the model "
		  "({graphs}, {compile}), use a larger batch, and take Python "
		  "work out of the loop. Where one step has most of it, see what that step does "
		  "beside: garbage collection, checkpoints, logs, evaluation.",
	.why = "The device's queue is empty while the host still builds or launches the next work; "
	       "a faster device would not help.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_HOST,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Optimum Habana (HPU Graphs for host-bound training); Intel Gaudi model "
		  "optimization checklist; threshold: own.",
};
