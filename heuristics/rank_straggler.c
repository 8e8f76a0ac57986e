/*
 * The others wait in their collectives for one late rank: the late one is the rank that waits
 * least. Told in its trace. The gain is what it needs outside of collectives more than the median
 * of the ranks, for the job runs at its pace, or what the median rank waits more, where that is
 * larger: a rank may be late from before the recording.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"ranks", "communication", NULL};
static const char *const reads[] = {"trace", "metric", NULL};
static const struct tc_param params[] = {
	{"min_wait_pct", "pct", 10, 0, 100,
		"how much longer than this rank the median rank is in collectives under no "
		"compute, as share of the wall time, from which it is told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH rank_time AS (\n"
	"  SELECT t.id, t.rank, w.value AS wall_ns, c.value AS collective_ns\n"
	"  FROM trace t\n"
	"  JOIN metric w ON w.trace_id = t.id AND w.name = 'wall_ns' AND w.device IS NULL\n"
	"    AND w.step IS NULL\n"
	"  JOIN metric c ON c.trace_id = t.id AND c.name = 'exposed_communication_ns' AND c.device "
	"IS NULL\n"
	"    AND c.step IS NULL\n"
	"  WHERE c.value > 0),\n"
	"place AS (\n"
	"  SELECT collective_ns, row_number() OVER (ORDER BY collective_ns, id) AS from_below,\n"
	"    row_number() OVER (ORDER BY collective_ns DESC, id DESC) AS from_above\n"
	"  FROM rank_time),\n"
	"own_place AS (\n"
	"  SELECT wall_ns - collective_ns AS own_ns,\n"
	"    row_number() OVER (ORDER BY wall_ns - collective_ns DESC, id) AS from_above,\n"
	"    row_number() OVER (ORDER BY wall_ns - collective_ns, id DESC) AS from_below\n"
	"  FROM rank_time),\n"
	"median AS (\n"
	"  SELECT p.collective_ns, o.own_ns, (SELECT count(*) FROM place) AS ranks\n"
	"  FROM place p JOIN own_place o\n"
	"  WHERE p.from_below - p.from_above BETWEEN 0 AND 1\n"
	"    AND o.from_above - o.from_below BETWEEN 0 AND 1)\n"
	"SELECT\n"
	"  'rank ' || coalesce(r.rank, r.id) AS subject,\n"
	"  max(r.wall_ns - r.collective_ns - m.own_ns, m.collective_ns - r.collective_ns) AS "
	"gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  NULL AS count,\n"
	"  (m.collective_ns - r.collective_ns) * 100.0 / r.wall_ns AS wait_pct,\n"
	"  r.collective_ns AS collective_ns,\n"
	"  m.collective_ns AS median_collective_ns,\n"
	"  (SELECT max(x.collective_ns) FROM rank_time x) AS longest_collective_ns,\n"
	"  r.wall_ns - r.collective_ns AS own_work_ns,\n"
	"  m.own_ns AS median_own_work_ns,\n"
	"  m.ranks AS rank_count\n"
	"FROM rank_time r\n"
	"JOIN median m\n"
	"WHERE r.id = :trace_id\n"
	"  AND r.collective_ns = (SELECT min(x.collective_ns) FROM rank_time x)\n"
	"  AND (m.collective_ns - r.collective_ns) * 100.0 >= :min_wait_pct * r.wall_ns\n"
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
