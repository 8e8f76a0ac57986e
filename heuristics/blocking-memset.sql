-- The host fills device memory with a call that waits until the device has done so, and all work
-- before it. It costs what other waits cost: at most its own duration, and at most the idle time
-- until the next wait. One row per call.
--
-- id: blocking-memset
-- order: 215
-- title: The host waits for memory to be filled
-- do: Fill memory with the asynchronous call, on the stream that uses it. Or let the framework
--    allocate and fill it.
-- why: The call returns when the device has finished all work before the fill. Then the device waits
--    for the host.
-- needs: host, device
-- part-of: device-sync
-- edit: remove mark = blocking_fill within-steps
-- says: per_step_ratio not-zero = "% per step"
-- says: blocked_ns = "the host blocked for %"
-- source: CUDA runtime API (synchronization behaviour of memset).
WITH name AS (
  SELECT DISTINCT name FROM host_total WHERE trace_id = :trace_id AND mark = 'blocking_fill')
SELECT
  b.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  count(*) AS count,
  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,
  sum(b.dur) AS blocked_ns
FROM host_block b
JOIN name n ON n.name = b.name
JOIN steady w ON w.trace_id = :trace_id
WHERE b.trace_id = :trace_id AND b.kind = 'sync' AND b.cost_ns > 0
GROUP BY b.name
ORDER BY blocked_ns DESC, subject
