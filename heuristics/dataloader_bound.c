/*
 * The main thread waits in the data loader while no device works. One row per loader call. The gain
 * counts the idle time after a call too, and copies to the device that nothing hides, as far as the
 * call lasted: the host has lost its lead.
 * A call before the first device work of the recording may be exposed only because earlier work
 * was not recorded; alone it is not enough, unless there is no other.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"steady_host_event", "host_block", "steady", NULL};
static const struct tc_param params[] = {
	{"min_cost_pct", "pct", 5, 0, 100,
		"idle time that loading costs, as share of the wall time, from which it is told; "
		"5 % is where torch_tb_profiler speaks up"},
	{"min_sure_pct", "pct", 2, 0, 100,
		"the same, less calls before the first device work of the recording; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH part AS (\n"
	"  SELECT e.id, e.name, e.dur, e.exposed_ns, e.step, e.before_device,\n"
	"    e.exposed_ns + e.transfer_ns AS cost_ns\n"
	"  FROM steady_host_event e\n"
	"  WHERE e.trace_id = :trace_id AND e.role = 'dataloader'\n"
	"  UNION ALL\n"
	"  SELECT b.id, NULL, NULL, NULL, NULL, NULL, b.next_idle_ns + b.next_transfer_ns\n"
	"  FROM host_block b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind = 'dataloader'),\n"
	"call AS (\n"
	"  SELECT max(name) AS name, max(dur) AS dur, max(exposed_ns) AS exposed_ns,\n"
	"    max(step) AS step, max(before_device) AS before_device,\n"
	"    min(max(dur), sum(cost_ns)) AS cost_ns\n"
	"  FROM part GROUP BY id),\n"
	"loader AS (\n"
	"  SELECT name, count(*) AS calls, sum(dur) AS dur_ns, max(dur) AS longest_ns,\n"
	"    sum(exposed_ns) AS exposed_ns, sum(cost_ns) AS cost_ns, count(DISTINCT step) AS "
	"steps,\n"
	"    sum(CASE WHEN NOT before_device THEN cost_ns END) AS sure_ns\n"
	"  FROM call\n"
	"  GROUP BY name),\n"
	"total AS (\n"
	"  SELECT sum(cost_ns) AS cost_ns, coalesce(sum(sure_ns), sum(cost_ns)) AS sure_ns FROM "
	"loader)\n"
	"SELECT\n"
	"  l.name AS subject,\n"
	"  l.cost_ns AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  l.calls AS count,\n"
	"  CASE WHEN l.name LIKE '%SingleProcess%' THEN 'main process (num_workers=0)'\n"
	"    WHEN l.name LIKE '%MultiProcessing%' THEN 'worker processes'\n"
	"    ELSE 'not told by the name' END AS loaded_by,\n"
	"  l.exposed_ns AS exposed_ns,\n"
	"  l.exposed_ns * 100.0 / w.wall_ns AS exposed_pct,\n"
	"  l.dur_ns AS loader_ns,\n"
	"  l.dur_ns / l.calls AS mean_call_ns,\n"
	"  l.longest_ns AS longest_call_ns,\n"
	"  CASE WHEN l.steps > 0 THEN l.exposed_ns / l.steps END AS exposed_per_step_ns,\n"
	"  l.steps AS step_count\n"
	"FROM loader l\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"JOIN total t\n"
	"WHERE t.cost_ns * 100.0 >= :min_cost_pct * w.wall_ns\n"
	"  AND t.sure_ns * 100.0 >= :min_sure_pct * w.wall_ns\n"
	"  AND l.cost_ns > 0\n"
	"ORDER BY gain_ns DESC, l.name\n";

const struct tc_heuristic tc_h_dataloader_bound = {
	.id = "dataloader-bound",
	.title = "The device waits for the data loader",
	.advice =
		"Load in worker processes (num_workers > 0; raise it if it is), let them prefetch, "
		"and "
		"move decoding and augmentation off the main process{media_loader}.",
	.why = "The next batch is made while the device has nothing to do, so every step is longer "
	       "by the part of loading that no device work hides.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_HELD | TC_BUCKET_TRANSFER,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (asynchronous data loading); Optimum Habana "
		  "(more loader workers); threshold: torch_tb_profiler.",
};
