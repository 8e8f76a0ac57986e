-- The host waits within an exchange of features or embeddings between ranks, usually to read the sizes of
-- what it gets, and loses its lead. Waits for copies to the device read no sizes. One row per operation that waits.
--
-- id: exchange-wait
-- order: 212
-- title: The host waits for sizes in an exchange between ranks
-- do: {exchange_ahead}.
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
  SELECT coalesce(nullif(e.caller, ''), e.name) AS operation, e.name, e.role, e.dur, e.idle_after_ns, x.range
  FROM exchange_wait x
  JOIN steady_host_event e ON e.id = x.id
  LEFT JOIN wait_release r ON r.slice_id = e.slice_id
  LEFT JOIN slice_row o ON o.id = r.op_slice_id
  LEFT JOIN label d ON d.id = o.label_id
  WHERE x.trace_id = :trace_id AND e.trace_id = x.trace_id AND e.exposed_ns + e.idle_after_ns > 0 AND d.direction IS NOT 'HtoD'),
longest AS (
  SELECT w.*, first_value(w.name) OVER by_length AS call, first_value(w.range) OVER by_length AS within_range
  FROM waiting w
  WINDOW by_length AS (PARTITION BY w.operation ORDER BY w.dur DESC, w.name, w.range)),
-- A read is a copy, a wait for it, or both, one after the other: the same idle time follows both.
read AS (
  SELECT operation, max(sum(role = 'sync'), sum(role = 'output_copy')) AS read_count,
    sum(dur) AS blocked_ns,
    max(total(iif(role = 'sync', idle_after_ns, 0)), total(iif(role = 'output_copy', idle_after_ns, 0)))
      AS idle_after_ns,
    min(call) AS call, min(within_range) AS within_range
  FROM longest
  GROUP BY operation)
SELECT
  r.operation AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  r.read_count AS count,
  CASE WHEN s.step_count > 0 THEN r.read_count * 1.0 / s.step_count END AS per_step_ratio,
  r.blocked_ns AS blocked_ns,
  CAST(r.idle_after_ns AS INTEGER) AS idle_after_ns,
  r.call AS waiting_call,
  r.within_range AS range
FROM read r
JOIN steady s ON s.trace_id = :trace_id
WHERE (SELECT sum(read_count) FROM read) >= :min_per_step_ratio * s.step_count
ORDER BY blocked_ns DESC, count DESC, subject
