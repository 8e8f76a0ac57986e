/*
 * DDP searches the graph for parameters that got no gradient.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const part_of[] = {"host-bound", "device-sync", NULL};
static const char *const reads[] = {"host_total", "steady", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 0.5, 0, 1000000,
		"searches per step from which they are told; own choice: a static graph searches "
		"once"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH hunt AS (\n"
	"  SELECT name, sum(count) AS searches, sum(dur_ns) AS dur_ns, max(exposed_ns) AS "
	"exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND name LIKE '%search!_unused!_parameters%' ESCAPE '!'\n"
	"  GROUP BY name)\n"
	"SELECT\n"
	"  h.name AS subject,\n"
	"  h.exposed_ns AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  h.searches AS count,\n"
	"  h.searches * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  h.dur_ns AS host_ns\n"
	"FROM hunt h\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE h.searches >= :min_per_step_ratio * max(w.step_count, 1)\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_unused_parameters = {
	.id = "unused-parameters",
	.title = "DDP searches for unused parameters in every step",
	.advice = "Leave find_unused_parameters at False; where some are unused indeed, but always "
		  "the same, set static_graph=True.",
	.why = "The search walks the whole graph on the host, and an extra reduction tells the "
	       "ranks what it found.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (find_unused_parameters); Intel Gaudi model "
		  "optimization (static_graph).",
};
