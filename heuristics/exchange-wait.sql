-- The host waits within an exchange of features or embeddings between ranks, usually to read the sizes of
-- what it gets, and loses its lead. One row per operation that waits.
--
-- id: exchange-wait
-- order: 212
-- title: The host waits for sizes in an exchange between ranks
-- do: Exchange the next batch ahead, as TorchRec's TrainPipelineSparseDist does. Where the run does so
--    already, begin the exchange earlier in the step, so that the sizes are there when they are read.
-- why: The host must know how much it gets before it can launch what follows. The device runs out of
--    work until then. A read of a log is avoided by reading less; this one is needed for every batch.
-- needs: host, device
-- part-of: host-bound
-- edit: remove role = sync, output_copy in mark = exchange
-- edit: remove device kind = memcpy direction = DtoH in mark = exchange
-- param: min_per_step_ratio ratio 0.5 0 1000000 such waits per step; reported at or above this; the same as
--    for device-sync
-- says: per_step_ratio not-zero = "% per step"
-- says: blocked_ns not-gain = "the host blocked for %"
-- says: idle_after_ns idle = "% idle after them"
-- says: waiting_call = "by %"
-- says: range = "within %"
-- source: TorchRec (TrainPipelineSparseDist); threshold: our default.
WITH waiting AS (
  SELECT coalesce(nullif(e.caller, ''), e.name) AS operation, e.name, e.dur, e.idle_after_ns, x.range
  FROM exchange_wait x
  JOIN steady_host_event e ON e.id = x.id
  WHERE x.trace_id = :trace_id AND e.role = 'sync' AND e.exposed_ns + e.idle_after_ns > 0)
SELECT
  a.operation AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  count(*) AS count,
  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,
  sum(a.dur) AS blocked_ns,
  sum(a.idle_after_ns) AS idle_after_ns,
  min(a.name) AS waiting_call,
  min(a.range) AS range
FROM waiting a
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT count(*) FROM waiting) >= :min_per_step_ratio * w.step_count
GROUP BY a.operation
ORDER BY blocked_ns DESC, count DESC, subject
