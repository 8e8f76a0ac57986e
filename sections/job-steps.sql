-- The steps of the ranks of a job, one beside the other. :trace is the job: the lowest trace.id of its ranks. Waiting is exposed, and is
-- that of the collectives that begin behind the first device work of the step.
--
-- title: Steps of the ranks
-- place: job 10
-- picture: ranks
-- step: no
-- rows: 4096
WITH member AS (
  SELECT rank, trace_id, exposed_wait_ns IS NOT NULL AS knows_waits FROM job_rank WHERE job_id = :trace ORDER BY rank LIMIT 1024),
shown AS (
  SELECT DISTINCT number FROM counted_step WHERE trace_id IN (SELECT trace_id FROM member)
  ORDER BY number LIMIT max(1, min(64, 4096 / (SELECT count(*) FROM member)))),
-- A collective is of the last step whose device work has begun.
part AS (
  SELECT trace_id, number, coalesce(device_ts, ts) AS since,
    lead(coalesce(device_ts, ts)) OVER (PARTITION BY trace_id ORDER BY coalesce(device_ts, ts), id) AS until
  FROM counted_step
  WHERE trace_id IN (SELECT trace_id FROM member)),
waited AS (
  SELECT p.trace_id, p.number, CAST(total(c.exposed_wait_ns) AS INTEGER) AS ns
  FROM part p
  JOIN collective c ON c.trace_id = p.trace_id AND c.ts >= p.since AND (p.until IS NULL OR c.ts < p.until)
  WHERE p.number IN (SELECT number FROM shown) AND c.exposed_wait_ns IS NOT NULL
  GROUP BY 1, 2)
SELECT
  j.rank, -- count "rank"
  t.number, -- count "step"
  t.ns, -- ns "time"
  iif(j.knows_waits, coalesce(w.ns, 0), NULL), -- ns "waits for others"
  (SELECT value FROM metric m WHERE m.trace_id = j.trace_id AND m.device IS NULL AND m.step = t.number
    AND m.name = 'idle_ns'), -- ns "idle"
  (SELECT value FROM metric m WHERE m.trace_id = j.trace_id AND m.device IS NULL AND m.step = t.number
    AND m.name = 'exposed_communication_ns'), -- ns "communicates"
  (SELECT value FROM metric m WHERE m.trace_id = j.trace_id AND m.device IS NULL AND m.step = t.number
    AND m.name = 'compute_busy_ns') -- ns "computes"
FROM member j
JOIN step_time t ON t.trace_id = j.trace_id
LEFT JOIN waited w ON w.trace_id = j.trace_id AND w.number = t.number
WHERE t.number IN (SELECT number FROM shown)
ORDER BY j.rank, t.number, t.step_id
LIMIT :limit
-- @note
SELECT printf('The first %d ranks and the first steps, as many as make 4,096 cells.', min(1024, count(*)))
FROM job_rank WHERE job_id = :trace
HAVING count(*) > 1024 OR (SELECT count(DISTINCT number) FROM counted_step WHERE trace_id IN (SELECT trace_id FROM job_rank WHERE job_id = :trace))
  > min(64, 4096 / count(*))
