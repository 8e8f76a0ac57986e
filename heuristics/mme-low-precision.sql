-- Matrix work runs in fp32 although the engine is much faster in 16 or 8 bits. One row per
-- operation.
--
-- id: mme-low-precision
-- order: 330
-- title: Most matrix work runs in fp32
-- do: Run the model under autocast in bfloat16, or FP8 if accuracy allows it. Keep only the
--    operations that need it in fp32.
-- why: In bf16 the matrix engine does at least twice as much work per second as in fp32, and half
--    the bytes move.
-- needs: mme, data_types
-- edit: scale engine = mme precision = fp32 by peaks else :kept_ratio
-- param: max_low_precision_pct pct 50 0 100 share of MME time in bf16, fp16 or fp8; reported below
--    this; our default: habana_perf_tool reports nothing at 77 %
-- param: kept_ratio ratio 0.25 0 1 part of the fp32 MME time that is left in lower precision where the
--    peaks of the device are not known: no data sheet of a Gaudi has that of fp32; as for gemm-fp32
-- range: kept_ratio 0.1 0.65 as for gemm-fp32, on devices for data centres
-- says: data_type = "in %"
-- says: mme_ns not-gain = "% on the MME"
-- says: low_precision_pct = "% of the MME time in low precision"
-- says: fp32_alone_ns not-gain = "fp32 alone for %"
-- says: fp32_no_tpc_ns not-gain = "fp32 without the TPCs for %"
-- says: device = "on device %"
-- source: Intel Gaudi model optimization (mixed precision); PyTorch performance tuning guide;
--    thresholds: our defaults.
WITH device AS (
  SELECT f.device, f.value AS fp32_ns, r.value * 100.0 AS low_pct,
    max(f.value, (m.value - t.value) * (1 - r.value)) AS fp32_no_tpc_ns
  FROM metric f
  JOIN metric r ON r.trace_id = f.trace_id AND r.name = 'mme_low_precision_ratio'
    AND r.device = f.device AND r.step IS NULL
  JOIN metric m ON m.trace_id = f.trace_id AND m.name = 'mme_busy_ns'
    AND m.device = f.device AND m.step IS NULL
  JOIN metric t ON t.trace_id = f.trace_id AND t.name = 'mme_tpc_overlap_ns'
    AND t.device = f.device AND t.step IS NULL
  WHERE f.trace_id = :trace_id AND f.name = 'mme_fp32_exclusive_ns' AND f.step IS NULL
  ORDER BY f.value DESC, f.device LIMIT 1),
op AS (
  SELECT o.name, o.data_type, sum(o.count) AS ops, sum(o.exclusive_ns) AS mme_ns
  FROM op_total o JOIN device d ON d.device = o.device
  WHERE o.trace_id = :trace_id AND o.engine = 'mme'
    AND lower(o.data_type) IN ('float32', 'fp32', 'f32', 'tf32')
  GROUP BY o.name, o.data_type)
SELECT
  coalesce(o.name, '(no name)') AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  o.ops AS count,
  o.data_type AS data_type,
  o.mme_ns AS mme_ns,
  d.low_pct AS low_precision_pct,
  d.fp32_ns AS fp32_alone_ns,
  CAST(d.fp32_no_tpc_ns AS INTEGER) AS fp32_no_tpc_ns,
  d.device AS device
FROM op o JOIN device d
WHERE d.low_pct < :max_low_precision_pct
ORDER BY o.mme_ns DESC, subject, data_type
