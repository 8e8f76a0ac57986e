/*
 * The analysis of graph nodes by the Gaudi profiler says which ran alone. One row per operation
 * and unit.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"node_stats", NULL};
static const char *const reads[] = {"node_stat", "hw_op", NULL};
static const struct tc_param params[] = {
	{"min_exposed_pct", "pct", 30, 0, 100,
		"TPC and DMA time outside of other work, as share of all active time of the "
		"nodes, from which it is told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH node AS (\n"
	"  SELECT n.unit, coalesce(n.op_type, n.node) AS operation, n.node, n.active_ns,\n"
	"    coalesce(n.tpc_exposed_ns, 0) + coalesce(n.dma_exposed_ns, 0) AS exposed_ns,\n"
	"    h.engines\n"
	"  FROM node_stat n\n"
	"  LEFT JOIN (SELECT o.name, count(DISTINCT o.engine) AS engines FROM hw_op o\n"
	"    WHERE o.trace_id = :trace_id GROUP BY o.name) h ON h.name = n.node\n"
	"  WHERE n.trace_id = :trace_id),\n"
	"total AS (\n"
	"  SELECT sum(exposed_ns) + sum(iif(unit = 'MME', coalesce(active_ns, 0), 0)) AS all_ns,\n"
	"    sum(exposed_ns) AS exposed_ns\n"
	"  FROM node)\n"
	"SELECT\n"
	"  n.operation AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  count(*) AS count,\n"
	"  n.unit AS engine,\n"
	"  sum(n.exposed_ns) AS alone_ns,\n"
	"  sum(n.exposed_ns) * 100.0 / t.all_ns AS alone_pct,\n"
	"  nullif(max(n.engines), 0) AS engine_count,\n"
	"  min(n.node) AS example\n"
	"FROM node n\n"
	"JOIN total t\n"
	"WHERE n.exposed_ns > 0 AND t.exposed_ns * 100.0 >= :min_exposed_pct * t.all_ns\n"
	"GROUP BY n.operation, n.unit\n"
	"ORDER BY alone_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_exposed_graph_nodes = {
	.id = "exposed-graph-nodes",
	.title = "TPC and copy nodes of graphs run outside of matrix work",
	.advice = "Look at the nodes named: fuse elementwise chains, avoid transposes and "
		  "casts between matrix operations, and let graphs be larger, so that the "
		  "compiler can run TPC nodes beside the MME.",
	.why = "In a graph the TPCs and the copy engines can work while the MME does; what "
	       "runs alone makes the graph longer by its whole time.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (engine overlap, fused operations); the "
		  "Gaudi profiler's analysis of nodes; threshold: own.",
};
