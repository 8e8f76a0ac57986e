-- Collectives of device tensors use a backend that goes through the host.
--
-- id: slow-backend
-- order: 520
-- title: Collectives go through the host (gloo or MPI)
-- do: Use the backend of the device for the process group. That is {backend}.
-- why: Tensors are copied to the host, sent, and copied back, and the device waits.
-- needs: host, device
-- bucket: idle, transfer
-- param: min_per_step_ratio ratio 1 0 1000000 such collectives per step; reported at or above this;
--    our default, no published source: a rare one is a barrier
-- says: per_step_ratio not-zero = "% per step"
-- says: collective_ns not-gain = "% of host time"
-- says: exposed_ns not-gain = "% with no device at work"
-- says: wait_ns not-zero = "the host waits for % of it"
-- says: exposed_copy_ns not-zero = "% with devices that only copy to or from the host"
-- says: work_ns = ""
-- says: backend = "backend %"
-- source: PyTorch performance tuning guide; torch_tb_profiler.
WITH slow AS (
  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns, max(exposed_ns) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'host_backend'
  GROUP BY name),
call AS (
  SELECT f.ts, f.ts + f.dur AS until, s.number AS step,
    max(f.ts + f.dur) OVER (ORDER BY f.ts, f.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
      AS before_ts
  FROM framework_op f
  LEFT JOIN step s ON s.id = f.step_id
  WHERE f.trace_id = :trace_id AND f.kind = 'host_collective'
    AND NOT coalesce(s.is_warm_up, 0)),
batch AS (
  SELECT c.*, sum(c.before_ts IS NULL OR c.before_ts <= c.ts) OVER (ORDER BY c.ts, c.until
    ROWS UNBOUNDED PRECEDING) AS number
  FROM call c),
wait AS (
  SELECT max(b.step) AS step, max(b.until) - max(b.ts) AS ns FROM batch b GROUP BY b.number),
idle AS (
  SELECT g.step, sum(g.dur) AS ns FROM steady_gap g
  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown')
  GROUP BY g.step),
held AS (
  SELECT total(x.wait_ns) AS wait_ns, total(min(x.wait_ns, coalesce(i.ns, 0))) AS idle_ns
  FROM (SELECT w.step, max(w.ns) AS wait_ns FROM wait w GROUP BY w.step) x
  LEFT JOIN idle i ON i.step IS x.step),
mark AS (
  SELECT c.ts, c.until, 0 AS late_ns FROM call c
  UNION ALL
  SELECT x.ts, NULL, x.late_ns FROM exposed_transfer x
  WHERE x.trace_id = :trace_id AND x.late_ns > 0),
placed AS (
  SELECT m.ts, m.late_ns, max(m.until) OVER (ORDER BY m.ts, m.until IS NULL
    ROWS UNBOUNDED PRECEDING) AS until
  FROM mark m),
copied AS (
  SELECT total(p.late_ns) AS late_ns FROM placed p WHERE p.ts < p.until),
share AS (
  SELECT s.*, s.dur_ns * 1.0 / (SELECT sum(dur_ns) FROM slow) AS part FROM slow s)
SELECT
  s.name AS subject,
  max(s.exposed_ns, CAST(h.idle_ns * s.part AS INTEGER))
    + CAST(c.late_ns * s.part AS INTEGER) AS gain_ns,
  'inferred' AS confidence,
  s.calls AS count,
  s.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  s.dur_ns AS collective_ns,
  s.exposed_ns AS exposed_ns,
  CAST(h.wait_ns * s.part AS INTEGER) AS wait_ns,
  CAST(c.late_ns * s.part AS INTEGER) AS exposed_copy_ns,
  CAST(c.late_ns * s.part AS INTEGER) AS work_ns,
  t.backend AS backend
FROM share s
JOIN held h
JOIN copied c
JOIN trace t ON t.id = :trace_id
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(calls) FROM slow) >= :min_per_step_ratio * max(w.step_count, 1)
ORDER BY gain_ns DESC, subject
