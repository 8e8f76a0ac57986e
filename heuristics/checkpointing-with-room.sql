-- Activations are dropped and computed again in the backward pass, though much of the device's memory
-- is free. One row.
--
-- id: checkpointing-with-room
-- order: 560
-- title: Activations are computed again though memory is free
-- do: Checkpoint fewer layers, or none, until the memory is used.
-- why: Each checkpointed layer runs its forward pass twice.
-- needs: host, device, memory, training
-- edit: remove own recomputed
-- edit: remove device recomputed
-- param: max_used_pct pct 60 1 100 peak of allocated memory as a share of the capacity; reported
--    below this; the same as for batch-size-headroom
-- param: min_per_step_ratio ratio 1 0 1000000 layers computed again per step; reported at or above
--    this; our default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: host_ns not-zero = "% of host time"
-- says: exclusive_ns not-zero = "% of device time"
-- says: used_pct = "% of the device's memory used"
-- says: peak_bytes = "at most %"
-- says: capacity_bytes = "+of %"
-- source: PyTorch activation checkpointing; thresholds: our defaults.
WITH again AS (
  SELECT min(name) AS name, sum(outer_count) AS calls
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'recompute' AND outer_count > 0),
room AS (
  SELECT max(m.value) AS peak_bytes, t.device_memory_bytes AS capacity_bytes
  FROM metric m
  JOIN trace t ON t.id = m.trace_id
  WHERE m.trace_id = :trace_id AND m.name = 'memory_peak_bytes' AND m.device IS NOT NULL
    AND m.step IS NULL AND m.value > 0 AND t.device_memory_bytes > 0
  GROUP BY t.device_memory_bytes)
SELECT
  a.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  a.calls AS count,
  a.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  p.host_ns AS host_ns,
  p.exclusive_ns AS exclusive_ns,
  r.peak_bytes * 100.0 / r.capacity_bytes AS used_pct,
  r.peak_bytes AS peak_bytes,
  r.capacity_bytes AS capacity_bytes
FROM again a
JOIN room r
JOIN phase_total p ON p.trace_id = :trace_id AND p.phase = 'recompute'
JOIN steady w ON w.trace_id = :trace_id
WHERE a.calls >= :min_per_step_ratio * max(w.step_count, 1)
  AND r.peak_bytes * 100.0 < :max_used_pct * r.capacity_bytes
ORDER BY subject
