-- Vector work that no matrix work hides takes most of the device time. The gain is unknown; the
-- rows are the kernels to look at.
--
-- id: tpc-bound
-- order: 360
-- title: Most of the device time is vector work
-- do: Fuse chains of pointwise operations, or use fused operators. For the largest kernel,
--    write a custom TPC kernel.
-- why: The matrix engine, which does nearly all of the arithmetic, waits for the vector cores.
-- needs: mme
-- param: min_tpc_pct pct 60 0 100 TPC time under no MME work, as a share of the busy time; reported
--    at or above this; our default, no published source
-- param: min_kernel_pct pct 2 0 100 share of that time; kernels at or above this are listed; our
--    default, no published source
-- says: exclusive_ns not-gain = "% of device time while nothing else runs"
-- says: share_pct = "% of the TPC time while no MME works"
-- says: mean_ns several = "% each on average"
-- says: tpc_alone_pct = "only the TPCs work in % of the busy time"
-- source: Intel Gaudi model optimization (custom operators, fusion); thresholds: our defaults.
WITH vector AS (
  SELECT d.device, d.busy_ns, m.value AS tpc_ns
  FROM busiest_device d
  JOIN metric m ON m.trace_id = d.trace_id AND m.device = d.device
    AND m.name = 'tpc_exclusive_ns' AND m.step IS NULL
  WHERE d.trace_id = :trace_id)
SELECT
  coalesce(o.name, '(no name)') AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  sum(o.count) AS count,
  sum(o.exclusive_ns) AS exclusive_ns,
  sum(o.exclusive_ns) * 100.0 / v.tpc_ns AS share_pct,
  sum(o.dur_ns) / sum(o.count) AS mean_ns,
  v.tpc_ns * 100.0 / v.busy_ns AS tpc_alone_pct
FROM vector v
JOIN op_total o ON o.trace_id = :trace_id AND o.device = v.device AND o.engine = 'tpc'
WHERE v.tpc_ns * 100.0 >= :min_tpc_pct * v.busy_ns AND v.tpc_ns > 0
GROUP BY o.name
HAVING sum(o.exclusive_ns) * 100.0 >= :min_kernel_pct * v.tpc_ns
ORDER BY exclusive_ns DESC, subject
