-- The device is idle because the host cannot keep its queue full, and most of its memory is free. A larger batch gives the device more work per launch. The gain is the idle time under
-- host work that a batch filling the memory would save.
--
-- id: batch-size-headroom
-- order: 450
-- title: There is room for a larger batch
-- do: {larger_batch}.
-- why: The host does the same work for a large batch as for a small one, so each launch gives the
--    device more to do.
-- needs: memory, device, idle
-- bucket: host
-- combine: max
-- edit: scale own host not role = dataloader by 0.25
-- param: min_host_idle_pct pct 10 0 100 device idle time while the host builds graphs, dispatches
--    operations, launches or runs Python, as a share of the wall time; reported at or above this;
--    the same as for host-bound
-- param: max_used_pct pct 60 1 100 peak of allocated memory as a share of the capacity; reported
--    below this; our default, no published source
-- param: fill_pct pct 90 1 100 share of the capacity that a larger batch may use; our default, no
--    published source
-- param: max_growth_ratio ratio 4 1 1000 the largest growth of the batch that we assume; our
--    default, no published source
-- says: busy_pct = "busy for % of the wall time"
-- says: used_pct = "% of its memory used"
-- says: peak_bytes = "at most %"
-- says: capacity_bytes = "+of %"
-- says: growth_ratio = "the gain assumes a batch % times as large"
-- says: host_idle_ns not-zero = "idle for % while the host works"
-- source: Intel Gaudi model optimization (batch size); thresholds: our defaults.
WITH room AS (
  SELECT m.device, m.value AS peak_bytes, t.device_memory_bytes AS capacity_bytes,
    b.value AS busy_pct,
    max(min(t.device_memory_bytes * :fill_pct / (m.value * 100.0), :max_growth_ratio), 1.0)
      AS growth_ratio
  FROM metric m
  JOIN trace t ON t.id = m.trace_id
  JOIN metric b ON b.trace_id = m.trace_id AND b.device IS NULL AND b.step IS NULL
    AND b.name = 'device_busy_pct'
  WHERE m.trace_id = :trace_id AND m.name = 'memory_peak_bytes' AND m.device IS NOT NULL
    AND m.step IS NULL AND m.value > 0 AND t.device_memory_bytes > 0
  ORDER BY m.value DESC, m.device LIMIT 1),
host AS (
  SELECT sum(dur) AS idle_ns FROM steady_gap
  WHERE trace_id = :trace_id AND cause IN ('graph_build', 'dispatch', 'launch', 'host_other'))
SELECT
  'device ' || r.device AS subject,
  CAST(h.idle_ns * (1 - 1.0 / r.growth_ratio) AS INTEGER) AS gain_ns,
  'guessed' AS confidence,
  NULL AS count,
  r.busy_pct AS busy_pct,
  r.peak_bytes * 100.0 / r.capacity_bytes AS used_pct,
  r.peak_bytes AS peak_bytes,
  r.capacity_bytes AS capacity_bytes,
  r.growth_ratio AS growth_ratio,
  h.idle_ns AS host_idle_ns
FROM room r
JOIN host h
JOIN steady w ON w.trace_id = :trace_id
WHERE h.idle_ns * 100.0 >= :min_host_idle_pct * w.wall_ns
  AND r.peak_bytes * 100.0 < :max_used_pct * r.capacity_bytes
ORDER BY subject
