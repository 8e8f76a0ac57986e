-- The other ranks wait in their collectives for one late rank. The late rank is the one that waits
-- least. Reported on its trace. The gain is the larger of two: the time outside of collectives that
-- this rank needs beyond the median of the ranks, because the job runs at its pace, and the time
-- that the median rank waits longer, because a rank may be late from before the recording. Waits in
-- the first collective do not count: recordings do not start together.
--
-- id: rank-straggler
-- order: 530
-- title: This rank makes the others wait
-- do: Balance the load (lengths, experts, files). If it is always the same rank, look at its host,
--    its device's clocks and its links.
-- why: A collective ends after the last rank arrives, so the job runs at the pace of the slowest.
-- needs: ranks, communication
-- bucket: wall
-- combine: max
-- param: min_wait_pct pct 10 0 100 how much longer than this rank the median rank waits for others
--    in collectives under no compute after the first (if unknown: is in them), or this rank, last
--    at most collectives, is outside of them; as a share of the wall time; reported at or above
--    this; our default, no published source
-- param: max_apart_pct pct 10 0 100 how far apart the ends of a collective may be on the ranks,
--    beyond the constant offsets of their clocks, as a share of the waiting, before the split is
--    called rough; our default, no published source
-- says: wait_pct = "the median rank waits longer by % of the wall time"
-- says: collective_ns = "% in collectives"
-- says: median_collective_ns = "the median rank %"
-- says: longest_collective_ns = "the longest %"
-- says: late_rank_wait_ns = "% waiting for other ranks"
-- says: median_wait_ns = "the median rank %"
-- says: longest_wait_ns = "the longest %"
-- says: start_wait_ns not-zero = "without % in the first collective, where ranks wait because their
--    recordings did not start together"
-- says: own_work_ns = "% outside of them"
-- says: median_own_work_ns = "(the median rank %)"
-- says: late_count not-zero = "the last to arrive at # collective~"
-- says: matched_count = "+of #"
-- says: late_per_step_ns not-zero = "the median rank waits % longer per step"
-- says: start_note = "%"
-- says: clock_note = "%"
-- says: rank_count = "# rank~ compared"
-- source: PyTorch performance tuning guide (load balance); threshold: our default.
WITH rank_time AS (
  SELECT t.id, t.rank, w.value AS wall_ns, c.value AS all_ns, r.exposed_wait_ns AS wait_ns,
    r.matched_count, r.late_count, r.start_wait_ns AS start_ns,
    r.apart_ns * 100.0 > :max_apart_pct * r.wait_ns AND r.apart_ns > 0 AS is_apart,
    coalesce(r.exposed_wait_ns - r.start_wait_ns, c.value) AS collective_ns,
    coalesce((SELECT n.value FROM metric n WHERE n.trace_id = t.id
      AND n.name = 'step_count'), 0) AS step_count
  FROM trace t
  JOIN job_rank r ON r.trace_id = t.id
    AND r.job_id = (SELECT job_id FROM job_rank WHERE trace_id = :trace_id)
  JOIN metric w ON w.trace_id = t.id AND w.name = 'wall_ns' AND w.device IS NULL
    AND w.step IS NULL
  JOIN metric c ON c.trace_id = t.id AND c.name = 'exposed_communication_ns'
    AND c.device IS NULL AND c.step IS NULL
  WHERE c.value > 0),
place AS (
  SELECT collective_ns, all_ns, row_number() OVER (ORDER BY collective_ns, id) AS low,
    row_number() OVER (ORDER BY collective_ns DESC, id DESC) AS high
  FROM rank_time),
own_place AS (
  SELECT wall_ns - all_ns AS own_ns,
    row_number() OVER (ORDER BY wall_ns - all_ns DESC, id) AS high,
    row_number() OVER (ORDER BY wall_ns - all_ns, id DESC) AS low
  FROM rank_time),
start_place AS (
  SELECT start_ns, row_number() OVER (ORDER BY start_ns, id) AS low,
    row_number() OVER (ORDER BY start_ns DESC, id DESC) AS high
  FROM rank_time),
median AS (
  SELECT p.collective_ns, o.own_ns, coalesce(s.start_ns, 0) AS start_ns,
    (SELECT count(*) FROM place) AS ranks
  FROM place p JOIN own_place o JOIN start_place s
  WHERE p.low - p.high BETWEEN 0 AND 1 AND o.high - o.low BETWEEN 0 AND 1
    AND s.low - s.high BETWEEN 0 AND 1)
SELECT
  'rank ' || r.rank AS subject,
  max(r.wall_ns - r.all_ns - m.own_ns, m.collective_ns - r.collective_ns) AS gain_ns,
  CASE WHEN r.step_count <= 1 THEN 'guessed' ELSE 'inferred' END AS confidence,
  NULL AS count,
  (m.collective_ns - r.collective_ns) * 100.0 / r.wall_ns AS wait_pct,
  iif(r.wait_ns IS NULL, r.collective_ns, NULL) AS collective_ns,
  iif(r.wait_ns IS NULL, m.collective_ns, NULL) AS median_collective_ns,
  iif(r.wait_ns IS NULL, (SELECT max(x.collective_ns) FROM rank_time x), NULL)
    AS longest_collective_ns,
  iif(r.wait_ns IS NULL, NULL, r.collective_ns) AS late_rank_wait_ns,
  iif(r.wait_ns IS NULL, NULL, m.collective_ns) AS median_wait_ns,
  iif(r.wait_ns IS NULL, NULL, (SELECT max(x.collective_ns) FROM rank_time x))
    AS longest_wait_ns,
  m.start_ns AS start_wait_ns,
  r.wall_ns - r.all_ns AS own_work_ns,
  m.own_ns AS median_own_work_ns,
  r.late_count AS late_count,
  r.matched_count AS matched_count,
  (m.collective_ns - r.collective_ns) / max(r.step_count, 1) AS late_per_step_ns,
  CASE WHEN r.step_count <= 1 THEN 'one step only: a rank that started late and one that '
    || 'is always late look the same' END AS start_note,
  CASE WHEN r.is_apart THEN 'the ends of the collectives differ by more than the ranks'' '
    || 'clocks explain: the split is rough' END AS clock_note,
  m.ranks AS rank_count
FROM rank_time r
JOIN median m
WHERE r.id = :trace_id
  AND r.id = (SELECT x.id FROM rank_time x ORDER BY
    CASE WHEN x.step_count <= 1 THEN coalesce(x.wait_ns, x.collective_ns)
      ELSE x.collective_ns END, x.id LIMIT 1)
  AND ((m.collective_ns - r.collective_ns) * 100.0 >= :min_wait_pct * r.wall_ns
    OR (r.late_count > r.matched_count - r.late_count
      AND (r.wall_ns - r.all_ns - m.own_ns) * 100.0 >= :min_wait_pct * r.wall_ns))
ORDER BY subject
