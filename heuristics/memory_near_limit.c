/*
 * The allocator of a device came close to its capacity.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"memory", "device", NULL};
static const char *const reads[] = {"metric", "trace", NULL};
static const struct tc_param params[] = {
	{"min_used_pct", "pct", 90, 1, 100,
		"peak of allocated memory as share of the capacity from which it is told; 90 % is "
		"where torch_tb_profiler speaks up"},
	TC_PARAM_END,
};

static const char sql[] =
	"SELECT\n"
	"  'device ' || m.device AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  NULL AS count,\n"
	"  m.value * 100.0 / t.device_memory_bytes AS used_pct,\n"
	"  m.value AS peak_bytes,\n"
	"  r.value AS reserved_peak_bytes,\n"
	"  t.device_memory_bytes AS capacity_bytes\n"
	"FROM metric m\n"
	"JOIN trace t ON t.id = m.trace_id\n"
	"LEFT JOIN metric r ON r.trace_id = m.trace_id AND r.device = m.device AND r.step IS NULL\n"
	"  AND r.name = 'memory_reserved_peak_bytes'\n"
	"WHERE m.trace_id = :trace_id AND m.name = 'memory_peak_bytes' AND m.device IS NOT NULL\n"
	"  AND m.step IS NULL AND t.device_memory_bytes > 0\n"
	"  AND m.value * 100.0 >= :min_used_pct * t.device_memory_bytes\n"
	"ORDER BY used_pct DESC, subject\n";

const struct tc_heuristic tc_h_memory_near_limit = {
	.id = "memory-near-limit",
	.title = "Device memory is nearly full",
	.advice = "Make room: {room}{split_graphs}.",
	.why = "Near the limit the allocator must search, defragment or fail, and nothing can grow "
	       "any more.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization; PyTorch performance tuning guide "
		  "(checkpointing); threshold: torch_tb_profiler.",
};
