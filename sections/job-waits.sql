-- Which rank waits for which: the exposed wait of each matched collective, by the rank that arrived last in it, the lowest of several.
-- :trace is the job.
--
-- title: Who waits for whom
-- place: job 20
-- picture: waits
-- step: no
-- rows: 1024
WITH last AS (
  SELECT c.match_id, min(j.rank) AS rank
  FROM collective c
  JOIN job_rank j ON j.trace_id = c.trace_id
  WHERE c.job_id = :trace AND c.early_ns = 0
  GROUP BY c.match_id),
pair AS (
  SELECT l.rank AS late, j.rank AS waiting, CAST(total(c.exposed_wait_ns) AS INTEGER) AS ns, count(*) AS count
  FROM collective c
  JOIN job_rank j ON j.trace_id = c.trace_id
  JOIN last l ON l.match_id = c.match_id
  WHERE c.job_id = :trace AND c.exposed_wait_ns > 0
  GROUP BY 1, 2),
late AS (
  SELECT late, total(ns) AS ns FROM pair GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 16),
waiting AS (
  SELECT waiting, total(ns) AS ns FROM pair GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 64)
SELECT
  p.ns, -- ns "wait"
  p.count, -- count "collectives"
  p.late, -- count "last to arrive"
  p.waiting -- count "waits"
FROM pair p
WHERE p.late IN (SELECT late FROM late) AND p.waiting IN (SELECT waiting FROM waiting)
ORDER BY p.ns DESC, p.late, p.waiting
LIMIT :limit
-- @note
SELECT printf('Recordings start apart: up to %s of the wait is in the first collective of a rank.', show_ns(max(start_wait_ns)))
FROM job_rank WHERE job_id = :trace
HAVING max(start_wait_ns) > 0
UNION ALL
SELECT 'The 64 ranks that wait longest, and the 16 for which others wait longest.'
FROM job_rank WHERE job_id = :trace
GROUP BY job_id
HAVING count(*) > 16
