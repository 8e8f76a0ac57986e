/*
 * The device is idle much of the time while most of its memory is free, and the host cannot keep
 * up: a larger batch gives more work per launch. The gain is the idle time under host work that a
 * batch filling the memory would save.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"memory", "device", "idle", NULL};
static const char *const reads[] = {"metric", "trace", "steady_gap", NULL};
static const struct tc_param params[] = {
	{"max_busy_pct", "pct", 50, 0, 100,
		"share of the wall time in which the device works below which it is told; 50 % is "
		"where torch_tb_profiler speaks up"},
	{"max_used_pct", "pct", 60, 1, 100,
		"peak of allocated memory as share of the capacity below which it is told; own "
		"choice"},
	{"fill_pct", "pct", 90, 1, 100,
		"share of the capacity that a larger batch may use; own choice"},
	{"max_growth_ratio", "ratio", 4, 1, 1000,
		"how many times larger a batch is taken to be reasonable at most; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH room AS (\n"
	"  SELECT m.device, m.value AS peak_bytes, t.device_memory_bytes AS capacity_bytes,\n"
	"    b.value AS busy_pct,\n"
	"    max(min(t.device_memory_bytes * :fill_pct / (m.value * 100.0), :max_growth_ratio), "
	"1.0)\n"
	"      AS growth_ratio\n"
	"  FROM metric m\n"
	"  JOIN trace t ON t.id = m.trace_id\n"
	"  JOIN metric b ON b.trace_id = m.trace_id AND b.device IS NULL AND b.step IS NULL\n"
	"    AND b.name = 'device_busy_pct'\n"
	"  WHERE m.trace_id = :trace_id AND m.name = 'memory_peak_bytes' AND m.device IS NOT NULL\n"
	"    AND m.step IS NULL AND m.value > 0 AND t.device_memory_bytes > 0\n"
	"  ORDER BY m.value DESC, m.device LIMIT 1),\n"
	"host AS (\n"
	"  SELECT sum(dur) AS idle_ns FROM steady_gap\n"
	"  WHERE trace_id = :trace_id AND cause IN ('graph_build', 'dispatch', 'launch', "
	"'host_other'))\n"
	"SELECT\n"
	"  'device ' || r.device AS subject,\n"
	"  CAST(h.idle_ns * (1 - 1.0 / r.growth_ratio) AS INTEGER) AS gain_ns,\n"
	"  'guessed' AS confidence,\n"
	"  NULL AS count,\n"
	"  r.busy_pct AS busy_pct,\n"
	"  r.peak_bytes * 100.0 / r.capacity_bytes AS used_pct,\n"
	"  r.peak_bytes AS peak_bytes,\n"
	"  r.capacity_bytes AS capacity_bytes,\n"
	"  r.growth_ratio AS growth_ratio,\n"
	"  h.idle_ns AS host_idle_ns\n"
	"FROM room r\n"
	"JOIN host h\n"
	"WHERE r.busy_pct < :max_busy_pct\n"
	"  AND r.peak_bytes * 100.0 < :max_used_pct * r.capacity_bytes\n"
	"ORDER BY subject\n";

const struct tc_heuristic tc_h_batch_size_headroom = {
	.id = "batch-size-headroom",
	.title = "There is room for a larger batch",
	.advice = "{larger_batch}.",
	.why = "The host does the same work for a large batch as for a small one, so the device "
	       "gets more to do for it.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_HOST,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (batch size); utilisation threshold: "
		  "torch_tb_profiler; others: own.",
};
