-- Matrix products, convolutions and attention run in single precision, by the class and precision
-- in the names of kernels (docs/names.md), which may be that of the sums where the inputs of the
-- operator are of 16 bits. mme-low-precision is the same for Gaudi. One row per kernel.
--
-- id: gemm-fp32
-- order: 340
-- title: Matrix products and convolutions run in fp32
-- do: {low_precision}.
-- why: {low_rate}.
-- needs: device
-- edit: scale class = matrix, convolution, attention precision = fp32 by peaks else :kept_ratio
-- param: max_low_precision_pct pct 50 0 100 share of the time of all kernels of these classes in
--    TF32 or less; reported below this; our default, no published source
-- param: kept_ratio ratio 0.25 0 1 part of their time that is left in lower precision where the peaks
--    of the device are not known, the middle of the range by ratio; else 1.5 times the ratio of the peaks
--    (measured: 0.11 on an A100, 0.19 on a T4; their peaks say 0.06 and 0.12), and where the ratio is
--    below a half, a half at most
-- range: kept_ratio 0.1 0.75 the devices of lib/names/hardware/hardware.def but the newest: 0.3 to 0.75 of
--    it is left on a GeForce card since the RTX 30
-- says: exclusive_ns not-gain = "% of device time while nothing else runs"
-- says: mean_ns several = "% each on average"
-- says: low_precision_pct = "% of the time of such kernels in TF32 or less"
-- says: busy_pct = "all fp32 ones are % of the busy time"
-- says: peak_kept_pct = "by the rates of the data sheet some % of their time would be left"
-- says: guess = "%"
-- says: device = "on device %"
-- says: operator = "of %"
-- source: PyTorch performance tuning guide (mixed precision); the pattern matcher of the PyTorch
--    profiler; thresholds: our defaults.
WITH half AS MATERIALIZED (
  SELECT DISTINCT d.name
  FROM op_kernel_row k
  JOIN label d ON d.id = k.label_id AND d.precision = 'fp32' AND d.class IN ('matrix', 'convolution', 'attention')
  JOIN op_tree_row n ON n.id = coalesce(k.capture_id, k.node_id)
  JOIN op_args a ON a.node_id = n.op_id
  WHERE k.trace_id = :trace_id AND (a.args ->> '$."Input type"[0]') IN ('c10::BFloat16', 'c10::Half')),
gemm AS (
  SELECT o.name, sum(o.count) AS ops, sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns,
    d.device, o.precision = 'fp32' AND o.name NOT IN (SELECT h.name FROM half h) AS is_fp32,
    o.precision NOT IN ('fp32', 'fp64', 'unknown', 'other') OR o.name IN (SELECT h.name FROM half h) AS is_low
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.engine = 'compute'
    AND o.class IN ('matrix', 'convolution', 'attention')
  GROUP BY o.name, o.precision, d.busy_ns, d.device),
total AS (
  SELECT sum(exclusive_ns) AS exclusive_ns, sum(exclusive_ns * is_fp32) AS fp32_ns,
    sum(exclusive_ns * is_low) AS low_ns
  FROM gemm)
SELECT
  g.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  g.ops AS count,
  g.exclusive_ns AS exclusive_ns,
  g.exclusive_ns / g.ops AS mean_ns,
  t.low_ns * 100.0 / t.exclusive_ns AS low_precision_pct,
  t.fp32_ns * 100.0 / g.busy_ns AS busy_pct,
  (SELECT 100.0 * p.fp32_kept_ratio FROM device_peak p WHERE p.trace_id = :trace_id)
    AS peak_kept_pct,
  CASE WHEN NOT EXISTS (SELECT 1 FROM device_peak p
      WHERE p.trace_id = :trace_id AND p.fp32_kept_ratio IS NOT NULL)
    THEN 'the rates of this device are not known, so the gain is a wide range: give them with --peaks' END
    AS guess,
  g.device AS device,
  k.operator AS operator
FROM gemm g
JOIN total t
LEFT JOIN kernel_operator k ON k.trace_id = :trace_id AND k.name = g.name
WHERE g.is_fp32 AND g.exclusive_ns > 0
  AND NOT EXISTS (SELECT 1 FROM trait x
    WHERE x.trace_id = :trace_id AND x.name IN ('kepler', 'maxwell', 'pascal'))
  AND t.low_ns * 100.0 < :max_low_precision_pct * t.exclusive_ns
ORDER BY g.exclusive_ns DESC, subject
