-- In lazy mode nothing runs until the graph is launched. When forward and backward are launched
-- together, the device waits while the host builds both. Detected by training (autograd work), at
-- most a few launches per step, and idle time while graphs are built.
--
-- id: fwd-bwd-pipelining
-- order: 160
-- title: The device waits until forward and backward are both built
-- do: Call mark_step() before loss.backward(), so that forward starts at once. In Optimum
--    Habana, pipelining_fwd_bwd does it.
-- why: With a launch between them, the device runs forward while the host builds backward. This
--    needs more device memory.
-- needs: bridge, launches, steps, training
-- part-of: host-bound, device-sync
-- edit: scale own role = graph_build, dispatch not in role = dataloader, cpu_fallback by :kept_ratio
-- param: max_launch_per_step_ratio ratio 2.5 1 1000 graph launches per step; reported at or below
--    this: one for forward with backward, and one for the optimizer; our default, no published
--    source
-- param: kept_ratio ratio 0.5 0 1 part of the time for building after which forward would start; our
--    default, no published source
-- says: count not-zero = "# gap~"
-- says: launch_per_step_ratio = "% graph launches per step"
-- says: idle_ns = "% idle"
-- says: idle_pct = "(% of the wall time)"
-- says: longest_gap_ns several = "the longest %"
-- source: Optimum Habana (pipelining forward and backward passes); thresholds: our defaults.
WITH launch AS (
  SELECT max(count) AS launches FROM (
    SELECT sum(count) AS count FROM host_total
    WHERE trace_id = :trace_id AND name IN ('SyncTensorsGraphInternal', 'LaunchSyncTensorsGraph')
    GROUP BY name)),
backward AS (
  SELECT coalesce(sum(count), 0) AS nodes FROM host_total
  WHERE trace_id = :trace_id AND mark = 'backward_node'),
build AS (
  SELECT sum(idle_ns) AS idle_ns, sum(count) AS gaps, max(longest_ns) AS longest_ns FROM idle_cause
  WHERE trace_id = :trace_id AND device IS NULL AND step IS NULL
    AND cause IN ('graph_build', 'dispatch', 'host_other'))
SELECT
  'idle while forward and backward are built' AS subject,
  NULL AS gain_ns,
  'guessed' AS confidence,
  b.gaps AS count,
  l.launches * 1.0 / w.step_count AS launch_per_step_ratio,
  b.idle_ns AS idle_ns,
  b.idle_ns * 100.0 / m.value AS idle_pct,
  b.longest_ns AS longest_gap_ns
FROM build b
JOIN launch l
JOIN backward k
JOIN steady w ON w.trace_id = :trace_id
JOIN metric m ON m.trace_id = :trace_id AND m.name = 'wall_ns' AND m.device IS NULL
  AND m.step IS NULL
WHERE w.step_count > 0 AND k.nodes > 0 AND l.launches > 0
  AND l.launches <= :max_launch_per_step_ratio * w.step_count
ORDER BY subject
