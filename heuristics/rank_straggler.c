/*
 * One rank works longer than the others, who wait for it in their collectives. Told in the trace
 * of the late rank; the gain is what the others lose.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"ranks", "communication", NULL};
static const char *const reads[] = {"trace", "metric", NULL};
static const struct tc_param params[] = {
	{"min_excess_pct", "pct", 10, 0, 1000,
		"time outside of collectives beyond the median of the ranks, as share of that "
		"median, from which it is told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH own AS (\n"
	"  SELECT t.id, t.rank, w.value AS wall_ns, c.value AS collective_ns,\n"
	"    w.value - c.value AS own_ns\n"
	"  FROM trace t\n"
	"  JOIN metric w ON w.trace_id = t.id AND w.name = 'wall_ns' AND w.device IS NULL\n"
	"    AND w.step IS NULL\n"
	"  JOIN metric c ON c.trace_id = t.id AND c.name = 'communication_busy_ns' AND c.device IS "
	"NULL\n"
	"    AND c.step IS NULL),\n"
	"place AS (\n"
	"  SELECT own_ns, row_number() OVER (ORDER BY own_ns, id) AS from_below,\n"
	"    row_number() OVER (ORDER BY own_ns DESC, id DESC) AS from_above\n"
	"  FROM own),\n"
	"median AS (\n"
	"  SELECT own_ns, (SELECT count(*) FROM own) AS ranks FROM place\n"
	"  WHERE from_below - from_above BETWEEN -1 AND 0)\n"
	"SELECT\n"
	"  'rank ' || coalesce(o.rank, o.id) AS subject,\n"
	"  o.own_ns - m.own_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  NULL AS count,\n"
	"  (o.own_ns - m.own_ns) * 100.0 / m.own_ns AS excess_pct,\n"
	"  o.own_ns AS own_ns,\n"
	"  m.own_ns AS median_own_ns,\n"
	"  o.collective_ns AS collective_ns,\n"
	"  m.ranks AS rank_count\n"
	"FROM own o\n"
	"JOIN median m\n"
	"WHERE o.id = :trace_id\n"
	"  AND o.own_ns = (SELECT max(own_ns) FROM own)\n"
	"  AND (o.own_ns - m.own_ns) * 100.0 >= :min_excess_pct * m.own_ns\n"
	"  AND m.own_ns > 0\n"
	"ORDER BY subject\n";

const struct tc_heuristic tc_h_rank_straggler = {
	.id = "rank-straggler",
	.title = "This rank makes the others wait",
	.advice = "Balance the load (lengths, experts, files); if it is always the same rank, look "
		  "at its host, its device's clocks and its links.",
	.why = "A collective ends when the last rank has come, so the job runs at the pace of the "
	       "slowest.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_WALL,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (load balance); threshold: own.",
};
