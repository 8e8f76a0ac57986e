/*
 * In lazy mode nothing runs until the graph is launched. When forward and backward are launched
 * together, the device waits while the host builds both. Told by training (autograd work), at most
 * a few launches per step, and idle time while graphs are built.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"bridge", "launches", "steps", NULL};
static const char *const part_of[] = {"host-bound", "device-sync", NULL};
static const char *const reads[] = {"host_total", "steady_gap", "steady", NULL};
static const struct tc_param params[] = {
	{"max_launch_per_step_ratio", "ratio", 2.5, 1, 1000,
		"graph launches per step up to which it is told: forward with backward, and the "
		"optimizer; own choice"},
	{"min_idle_pct", "pct", 5, 0, 100,
		"idle time while the host builds, as share of the wall time, from which it is "
		"told; own choice"},
	{"saved_ratio", "ratio", 0.5, 0, 1,
		"part of that idle time that the forward part would fill; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH launch AS (\n"
	"  SELECT max(count) AS launches FROM (\n"
	"    SELECT sum(count) AS count FROM host_total\n"
	"    WHERE trace_id = :trace_id AND name IN ('SyncTensorsGraphInternal', "
	"'LaunchSyncTensorsGraph')\n"
	"    GROUP BY name)),\n"
	"backward AS (\n"
	"  SELECT coalesce(sum(count), 0) AS nodes FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name LIKE 'autograd::engine::evaluate!_function%' ESCAPE "
	"'!'),\n"
	"build AS (\n"
	"  SELECT sum(dur) AS idle_ns, count(*) AS gaps, max(dur) AS longest_ns FROM steady_gap\n"
	"  WHERE trace_id = :trace_id AND cause IN ('graph_build', 'dispatch', 'host_other'))\n"
	"SELECT\n"
	"  'idle while forward and backward are built' AS subject,\n"
	"  CAST(b.idle_ns * :saved_ratio AS INTEGER) AS gain_ns,\n"
	"  'guessed' AS confidence,\n"
	"  b.gaps AS count,\n"
	"  l.launches * 1.0 / w.step_count AS launch_per_step_ratio,\n"
	"  b.idle_ns AS idle_ns,\n"
	"  b.idle_ns * 100.0 / w.wall_ns AS idle_pct,\n"
	"  b.longest_ns AS longest_gap_ns\n"
	"FROM build b\n"
	"JOIN launch l\n"
	"JOIN backward k\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE w.step_count > 0 AND k.nodes > 0 AND l.launches > 0\n"
	"  AND l.launches <= :max_launch_per_step_ratio * w.step_count\n"
	"  AND b.idle_ns * 100.0 >= :min_idle_pct * w.wall_ns\n"
	"ORDER BY subject\n";

const struct tc_heuristic tc_h_fwd_bwd_pipelining = {
	.id = "fwd-bwd-pipelining",
	.title = "The device waits until forward and backward are both built",
	.advice = "Trigger execution after forward: mark_step() before loss.backward(), or "
		  "pipelining_fwd_bwd in Optimum Habana.",
	.why = "With a launch between them, the device runs forward while the host builds "
	       "backward. It needs more device memory.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Optimum Habana (pipelining forward and backward passes); thresholds: own.",
};
