-- Most kernels are so short that starting them costs as much as running them. What the short
-- elementwise ones may cost decides whether they are reported: most of their time, the short idle
-- gaps between kernels (whole ones: a longer gap may have a short row per cause), and their part of the idle time in which the host dispatches and launches
-- (a Gaudi launches graphs, not kernels). Idle time is split by exclusive time over mean duration, so that
-- lanes do not count and hidden kernels get no idle time.
--
-- id: small-kernels
-- order: 370
-- title: Most kernels are too short to keep the device busy
-- do: Combine operations into fewer kernels with {compiler}. {graphs_too}Fused operators and
--    larger batches help, too.
-- why: Each kernel reads and writes memory for little work, and the device always waits a little
--    between two short kernels.
-- needs: device
-- edit: remove device mark = fusible kind = kernel shorter = 10000 not in mark = zero_grad repeated with-launches
-- edit: remove device engine = tpc kind = kernel shorter = 10000 not in mark = zero_grad repeated with-launches
-- param: max_kernel_ns ns 10000 1 1000000000 mean duration of a short kernel is below this, and a
--    gap up to this long counts as one between kernels; our default, no published source
-- param: min_count_pct pct 20 0 100 short kernels as a share of all kernels; reported at or above
--    this; our default, no published source: a long kernel on a Gaudi counts once for every lane
-- param: min_gain_pct pct 2 0 100 what the fix wins, as a share of the wall time; reported at or above this;
--    our default, no published source: where a plan goes on
-- param: saved_ratio ratio 0.9 0 1 part of the time of short elementwise kernels that fusion saves;
--    our default, the same as for a fused optimizer
-- says: mean_ns several = "% each on average"
-- says: exclusive_ns not-gain = "% of device time while nothing else runs"
-- says: short_kernels_pct = "kernels with so short a mean are % of all"
-- says: short_time_pct = "(% of their time)"
-- says: short_gap_ns not-zero = "% in short gaps between kernels"
-- says: launch_idle_ns not-zero = "% more idle while the host launches"
-- source: PyTorch performance tuning guide (fuse pointwise operations); Intel Gaudi model
--    optimization; thresholds: our defaults.
WITH kernel AS (
  SELECT o.name, sum(o.count) AS ops, CAST(total(o.dur_ns) AS INTEGER) AS dur_ns,
    sum(o.exclusive_ns) AS exclusive_ns,
    sum(o.exclusive_ns) * 1.0 * sum(o.count) / max(total(o.dur_ns), 1) AS alone,
    total(o.dur_ns) < :max_kernel_ns * sum(o.count) AS is_short,
    o.engine = 'tpc' OR coalesce(o.mark = 'fusible', 0) AS is_fusible
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.engine IN ('mme', 'tpc', 'compute')
  GROUP BY o.name, o.engine),
total AS (
  SELECT sum(ops) AS ops, sum(alone) AS alone, sum(exclusive_ns) AS exclusive_ns,
    sum(ops * is_short) AS short_ops,
    sum(exclusive_ns * is_short) AS short_ns
  FROM kernel),
pause AS (
  SELECT coalesce(sum(g.dur), 0) AS gap_ns
  FROM busiest_device d
  LEFT JOIN gap g ON g.trace_id = d.trace_id AND g.device = d.device
    AND coalesce(g.gap_dur, g.dur) <= :max_kernel_ns * g.count
  WHERE d.trace_id = :trace_id),
launch AS (
  SELECT max(coalesce(sum(g.dur), 0)
      - (SELECT coalesce(sum(b.held_ns), 0) FROM host_block b WHERE b.trace_id = :trace_id), 0)
    AS idle_ns
  FROM steady_gap g
  WHERE g.trace_id = :trace_id AND g.cause IN ('dispatch', 'launch')
    AND coalesce(g.gap_dur, g.dur) > :max_kernel_ns * g.count
    AND EXISTS (SELECT 1 FROM op_total o
      WHERE o.trace_id = :trace_id AND o.engine = 'compute')),
part AS (
  SELECT k.name, k.ops, k.dur_ns, k.exclusive_ns, t.ops AS all_ops, t.short_ops,
    t.exclusive_ns AS all_ns, t.short_ns, p.gap_ns, l.idle_ns,
    CAST((p.gap_ns + l.idle_ns) * k.alone / t.alone + k.exclusive_ns * :saved_ratio
      AS INTEGER) AS cost_ns
  FROM kernel k
  JOIN total t
  JOIN pause p
  JOIN launch l
  WHERE k.is_short AND k.is_fusible AND t.short_ops * 100.0 >= :min_count_pct * t.ops)
SELECT
  coalesce(k.name, '(no name)') AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  k.ops AS count,
  k.dur_ns / k.ops AS mean_ns,
  k.exclusive_ns AS exclusive_ns,
  k.short_ops * 100.0 / k.all_ops AS short_kernels_pct,
  k.short_ns * 100.0 / k.all_ns AS short_time_pct,
  k.gap_ns AS short_gap_ns,
  k.idle_ns AS launch_idle_ns
FROM part k
JOIN metric w ON w.trace_id = :trace_id AND w.name = 'wall_ns' AND w.device IS NULL
  AND w.step IS NULL
LEFT JOIN whatif f ON f.trace_id = :trace_id AND f.fix = 'small-kernels'
WHERE coalesce(f.gain_ns, (SELECT sum(cost_ns) FROM part)) * 100.0 >= :min_gain_pct * w.value
  AND k.cost_ns > 0
ORDER BY k.cost_ns DESC, count DESC, subject
