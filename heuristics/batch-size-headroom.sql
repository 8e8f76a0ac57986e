-- The device is idle because the host cannot keep its queue full, and most of its memory is free. A
-- larger batch gives the device more work per launch. It makes no step shorter but each sample
-- cheaper, so there is no gain that could be compared with those of other fixes.
--
-- id: batch-size-headroom
-- order: 450
-- title: There is room for a larger batch
-- do: {larger_batch}.
-- why: The host does the same work for a large batch as for a small one, so each launch gives the
--    device more to do.
-- needs: memory, device, idle
-- param: min_host_idle_pct pct 10 0 100 device idle time while the host builds graphs, dispatches
--    operations, launches or runs Python, as a share of the wall time; reported at or above this;
--    the same as for host-bound
-- param: max_used_pct pct 60 1 100 peak of allocated memory as a share of the capacity; reported
--    below this; our default, no published source
-- says: used_pct = "% of its memory used"
-- says: peak_bytes = "at most %"
-- says: capacity_bytes = "+of %"
-- says: host_idle_ns not-zero = "idle for % while the host works"
-- source: Intel Gaudi model optimization (batch size); thresholds: our defaults.
WITH room AS (
  SELECT m.device, m.value AS peak_bytes, t.device_memory_bytes AS capacity_bytes
  FROM metric m
  JOIN trace t ON t.id = m.trace_id
  WHERE m.trace_id = :trace_id AND m.name = 'memory_peak_bytes' AND m.device IS NOT NULL
    AND m.step IS NULL AND m.value > 0 AND t.device_memory_bytes > 0
  ORDER BY m.value DESC, m.device LIMIT 1),
host AS (
  SELECT sum(dur) AS idle_ns FROM steady_gap_total
  WHERE trace_id = :trace_id AND cause IN ('graph_build', 'dispatch', 'launch', 'host_other'))
SELECT
  'device ' || r.device AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  r.peak_bytes * 100.0 / r.capacity_bytes AS used_pct,
  r.peak_bytes AS peak_bytes,
  r.capacity_bytes AS capacity_bytes,
  h.idle_ns AS host_idle_ns
FROM room r
JOIN host h
JOIN steady w ON w.trace_id = :trace_id
WHERE h.idle_ns * 100.0 >= :min_host_idle_pct * w.wall_ns
  AND r.peak_bytes * 100.0 < :max_used_pct * r.capacity_bytes
ORDER BY subject
