-- Collectives of device tensors use a backend that goes through the host.
--
-- id: slow-backend
-- order: 520
-- title: Collectives go through the host (gloo or MPI)
-- do: Use the backend of the device for the process group. That is {backend}.
-- why: Tensors are copied to the host, sent, and copied back, and the device waits.
-- needs: host, device
-- edit: remove host mark = host_backend with-work
-- param: min_per_step_ratio ratio 1 0 1000000 such collectives per step; reported at or above this;
--    our default, no published source: a rare one is a barrier
-- says: per_step_ratio not-zero = "% per step"
-- says: collective_ns = "% of host time"
-- says: exposed_ns = "% with no device at work"
-- says: backend = "backend %"
-- source: PyTorch performance tuning guide; torch_tb_profiler.
WITH slow AS (
  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns, max(exposed_ns) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'host_backend'
  GROUP BY name)
SELECT
  s.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  s.calls AS count,
  s.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  s.dur_ns AS collective_ns,
  s.exposed_ns AS exposed_ns,
  t.backend AS backend
FROM slow s
JOIN trace t ON t.id = :trace_id
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(calls) FROM slow) >= :min_per_step_ratio * max(w.step_count, 1)
ORDER BY collective_ns DESC, subject
