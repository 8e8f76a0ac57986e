/*
 * The two engines of a Gaudi work one after the other. The gain is what the overlap that healthy
 * runs reach would hide.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"mme", NULL};
static const char *const reads[] = {"busiest_device", "metric", NULL};
static const struct tc_param params[] = {
	{"max_overlap_pct", "pct", 30, 0, 100,
		"overlap as share of the shorter engine time below which it is told; own choice: "
		"public outputs of habana_perf_tool show 50 to 66 %"},
	{"min_engine_pct", "pct", 15, 0, 100,
		"share of the busy time that each of the two engines must have; own choice"},
	{"reachable_pct", "pct", 60, 0, 100,
		"overlap as share of the shorter engine time that can be reached; the middle of "
		"what public outputs of habana_perf_tool show"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH engine AS (\n"
	"  SELECT d.device, d.busy_ns,\n"
	"    max(CASE WHEN m.name = 'mme_busy_ns' THEN m.value END) AS mme_ns,\n"
	"    max(CASE WHEN m.name = 'tpc_busy_ns' THEN m.value END) AS tpc_ns,\n"
	"    max(CASE WHEN m.name = 'mme_tpc_overlap_ns' THEN m.value END) AS overlap_ns\n"
	"  FROM busiest_device d\n"
	"  JOIN metric m ON m.trace_id = d.trace_id AND m.device = d.device AND m.step IS NULL\n"
	"  WHERE d.trace_id = :trace_id\n"
	"  GROUP BY d.device, d.busy_ns)\n"
	"SELECT\n"
	"  'device ' || e.device AS subject,\n"
	"  CAST(min(e.mme_ns, e.tpc_ns) * :reachable_pct / 100.0 - e.overlap_ns AS INTEGER) AS "
	"gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  NULL AS count,\n"
	"  e.overlap_ns * 100.0 / min(e.mme_ns, e.tpc_ns) AS overlap_pct,\n"
	"  e.mme_ns AS mme_ns,\n"
	"  e.tpc_ns AS tpc_ns,\n"
	"  e.overlap_ns AS overlap_ns\n"
	"FROM engine e\n"
	"WHERE min(e.mme_ns, e.tpc_ns) * 100.0 >= :min_engine_pct * e.busy_ns\n"
	"  AND min(e.mme_ns, e.tpc_ns) > 0\n"
	"  AND e.overlap_ns * 100.0 < :max_overlap_pct * min(e.mme_ns, e.tpc_ns)\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_mme_tpc_overlap = {
	.id = "mme-tpc-overlap",
	.title = "Matrix and vector engines take turns instead of working together",
	.advice = "Give the graph compiler larger graphs to slice: avoid early mark_step() calls "
		  "and graph breaks, and prefer shapes that can be cut into parts.",
	.why = "When MME and TPC work on different slices at once, the shorter of the two is free.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (MME and TPC in the profiler, mark_step); "
		  "thresholds: own.",
};
