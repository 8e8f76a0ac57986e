/*
 * The others wait in their collectives for one late rank: the late one is the rank that waits
 * least. Told in its trace. The gain is what it needs outside of collectives more than the median
 * of the ranks, for the job runs at its pace, or what the median rank waits more, where that is
 * larger: a rank may be late from before the recording. What the ranks wait in their first
 * collective does not count, for recordings do not start together.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"ranks", "communication", NULL};
static const char *const reads[] = {"trace", "metric", "job_rank", NULL};
static const struct tc_param params[] = {
	{"min_wait_pct", "pct", 10, 0, 100,
		"how much longer than this rank the median rank waits for others in collectives "
		"under no compute, but for the first one (where that cannot be told: is in them), "
		"or this rank, when it "
		"comes last to most collectives, is outside of them, as share of the wall time, "
		"from which it is told; own choice"},
	{"max_apart_pct", "pct", 10, 0, 100,
		"how far the ends of a collective may be apart on the ranks, beyond the constant "
		"offsets of their clocks, as share of the waiting, before the split is called "
		"rough; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH rank_time AS (\n"
	"  SELECT t.id, t.rank, w.value AS wall_ns, c.value AS all_ns, r.exposed_wait_ns AS "
	"wait_ns,\n"
	"    r.matched_count, r.late_count, r.start_wait_ns AS start_ns,\n"
	"    r.apart_ns * 100.0 > :max_apart_pct * r.wait_ns AND r.apart_ns > 0 AS is_apart,\n"
	"    coalesce(r.exposed_wait_ns - r.start_wait_ns, c.value) AS collective_ns,\n"
	"    coalesce((SELECT n.value FROM metric n WHERE n.trace_id = t.id\n"
	"      AND n.name = 'step_count'), 0) AS step_count\n"
	"  FROM trace t\n"
	"  JOIN job_rank r ON r.trace_id = t.id\n"
	"    AND r.job_id = (SELECT job_id FROM job_rank WHERE trace_id = :trace_id)\n"
	"  JOIN metric w ON w.trace_id = t.id AND w.name = 'wall_ns' AND w.device IS NULL\n"
	"    AND w.step IS NULL\n"
	"  JOIN metric c ON c.trace_id = t.id AND c.name = 'exposed_communication_ns'\n"
	"    AND c.device IS NULL AND c.step IS NULL\n"
	"  WHERE c.value > 0),\n"
	"place AS (\n"
	"  SELECT collective_ns, all_ns, row_number() OVER (ORDER BY collective_ns, id) AS low,\n"
	"    row_number() OVER (ORDER BY collective_ns DESC, id DESC) AS high\n"
	"  FROM rank_time),\n"
	"own_place AS (\n"
	"  SELECT wall_ns - all_ns AS own_ns,\n"
	"    row_number() OVER (ORDER BY wall_ns - all_ns DESC, id) AS high,\n"
	"    row_number() OVER (ORDER BY wall_ns - all_ns, id DESC) AS low\n"
	"  FROM rank_time),\n"
	"start_place AS (\n"
	"  SELECT start_ns, row_number() OVER (ORDER BY start_ns, id) AS low,\n"
	"    row_number() OVER (ORDER BY start_ns DESC, id DESC) AS high\n"
	"  FROM rank_time),\n"
	"median AS (\n"
	"  SELECT p.collective_ns, o.own_ns, coalesce(s.start_ns, 0) AS start_ns,\n"
	"    (SELECT count(*) FROM place) AS ranks\n"
	"  FROM place p JOIN own_place o JOIN start_place s\n"
	"  WHERE p.low - p.high BETWEEN 0 AND 1 AND o.high - o.low BETWEEN 0 AND 1\n"
	"    AND s.low - s.high BETWEEN 0 AND 1)\n"
	"SELECT\n"
	"  'rank ' || r.rank AS subject,\n"
	"  max(r.wall_ns - r.all_ns - m.own_ns, m.collective_ns - r.collective_ns) AS gain_ns,\n"
	"  CASE WHEN r.step_count <= 1 THEN 'guessed' ELSE 'inferred' END AS confidence,\n"
	"  NULL AS count,\n"
	"  (m.collective_ns - r.collective_ns) * 100.0 / r.wall_ns AS wait_pct,\n"
	"  iif(r.wait_ns IS NULL, r.collective_ns, NULL) AS collective_ns,\n"
	"  iif(r.wait_ns IS NULL, m.collective_ns, NULL) AS median_collective_ns,\n"
	"  iif(r.wait_ns IS NULL, (SELECT max(x.collective_ns) FROM rank_time x), NULL)\n"
	"    AS longest_collective_ns,\n"
	"  iif(r.wait_ns IS NULL, NULL, r.collective_ns) AS late_rank_wait_ns,\n"
	"  iif(r.wait_ns IS NULL, NULL, m.collective_ns) AS median_wait_ns,\n"
	"  iif(r.wait_ns IS NULL, NULL, (SELECT max(x.collective_ns) FROM rank_time x))\n"
	"    AS longest_wait_ns,\n"
	"  m.start_ns AS start_wait_ns,\n"
	"  r.wall_ns - r.all_ns AS own_work_ns,\n"
	"  m.own_ns AS median_own_work_ns,\n"
	"  r.late_count AS late_count,\n"
	"  r.matched_count AS matched_count,\n"
	"  (m.collective_ns - r.collective_ns) / max(r.step_count, 1) AS late_per_step_ns,\n"
	"  CASE WHEN r.step_count <= 1 THEN 'one step only: a rank that started late and one that "
	"'\n"
	"    || 'is always late look the same' END AS start_note,\n"
	"  CASE WHEN r.is_apart THEN 'the ends of the collectives differ by more than the ranks'' "
	"'\n"
	"    || 'clocks explain: the split is rough' END AS clock_note,\n"
	"  m.ranks AS rank_count\n"
	"FROM rank_time r\n"
	"JOIN median m\n"
	"WHERE r.id = :trace_id\n"
	"  AND r.id = (SELECT x.id FROM rank_time x ORDER BY\n"
	"    CASE WHEN x.step_count <= 1 THEN coalesce(x.wait_ns, x.collective_ns)\n"
	"      ELSE x.collective_ns END, x.id LIMIT 1)\n"
	"  AND ((m.collective_ns - r.collective_ns) * 100.0 >= :min_wait_pct * r.wall_ns\n"
	"    OR (r.late_count > r.matched_count - r.late_count\n"
	"      AND (r.wall_ns - r.all_ns - m.own_ns) * 100.0 >= :min_wait_pct * r.wall_ns))\n"
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
