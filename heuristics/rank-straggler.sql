-- The other ranks wait in their collectives for a late rank. All ranks are replayed together, once
-- without waiting for each of the ranks that wait least, once without waiting for the first of them,
-- the first two, and so on (job_rank.late_order). Reported on the trace of each late rank. What ranks
-- wait in the first collective does not count: recordings do not start together.
--
-- id: rank-straggler
-- order: 530
-- title: This rank makes the others wait
-- do: {even_ranks}.
-- why: A collective ends after the last rank arrives, so the job runs at the pace of the slowest.
-- needs: ranks, communication
-- edit: nowait rank = late
-- param: max_apart_pct pct 10 0 100 how far apart the ends of a collective may be on the ranks,
--    beyond the constant offsets of their clocks, as a share of the waiting, before the split is
--    called rough; our default, no published source
-- says: late_in = "late because @"
-- says: late_in_ns = "+for % a step"
-- says: late_in_median_ns = "+(median rank %)"
-- says: late_count = "the last to arrive at # collective~"
-- says: matched_count = "+of #"
-- says: late_gain_ns = "% alone"
-- says: together_ns = "% together"
-- says: together_with = "+with rank %"
-- says: late_rank_wait_ns = "it waits % for other ranks"
-- says: start_wait_ns not-zero = "without % in the first collective, where ranks wait because their
--    recordings did not start together"
-- says: late_per_step_ns not-zero = "% a step"
-- says: start_note = "%"
-- says: clock_note = "%"
-- says: missing_note = "%"
-- says: rank_count = "# rank~ compared"
-- source: PyTorch performance tuning guide (load balance); threshold: our default.
WITH own AS (
  SELECT r.*, w.step_before_ns - w.step_after_ns AS step_ns,
    coalesce((SELECT n.value FROM metric n WHERE n.trace_id = r.trace_id
      AND n.name = 'step_count' AND n.step IS NULL), 0) AS step_count
  FROM job_rank r
  JOIN whatif w ON w.trace_id = r.trace_id AND w.fix = 'rank-straggler'
  WHERE r.trace_id = :trace_id AND r.late_order IS NOT NULL)
SELECT
  'rank ' || o.rank AS subject,
  NULL AS gain_ns,
  CASE WHEN o.step_count <= 1 THEN 'guessed' ELSE 'inferred' END AS confidence,
  NULL AS count,
  b.words AS late_in,
  b.ns AS late_in_ns,
  b.median_ns AS late_in_median_ns,
  o.late_count AS late_count,
  o.matched_count AS matched_count,
  CASE WHEN o.late_order > 1 THEN o.late_gain_ns END AS late_gain_ns,
  CASE WHEN o.late_order > 1 THEN o.late_together_ns END AS together_ns,
  CASE WHEN o.late_order > 1 THEN (SELECT group_concat(x.rank, ', ') FROM (
    SELECT b.rank FROM job_rank b WHERE b.job_id = o.job_id AND b.late_order < o.late_order
    ORDER BY b.late_order) x) END AS together_with,
  o.exposed_wait_ns - o.start_wait_ns AS late_rank_wait_ns,
  o.start_wait_ns AS start_wait_ns,
  o.step_ns AS late_per_step_ns,
  CASE WHEN o.step_count <= 1 THEN 'one step only: a rank that started late and one that '
    || 'is always late look the same' END AS start_note,
  CASE WHEN o.apart_ns > 0 AND o.apart_ns * 100.0 > :max_apart_pct * o.wait_ns THEN 'the ends of '
    || 'the collectives differ by more than the ranks'' clocks explain: the split is rough'
    END AS clock_note,
  CASE WHEN o.wait_ns IS NULL THEN 'other ranks, which were not recorded, may be as late'
    END AS missing_note,
  (SELECT count(*) FROM job_rank b WHERE b.job_id = o.job_id) AS rank_count
FROM own o
LEFT JOIN late_cause b ON b.trace_id = :trace_id
ORDER BY subject
