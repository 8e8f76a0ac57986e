-- Kernels over elements take a large part of the busy time, and each reads and writes memory for
-- itself. Short ones are the matter of small-kernels. Of a chain, in which each reads what the one before
-- wrote, a fused kernel costs about as much as one. One row per kernel.
--
-- id: pointwise-fusion
-- order: 395
-- title: Operations on elements run one by one
-- do: Fuse chains of operations on elements with a compiler. That is {compile}. Or use fused modules
--    (bias and activation, dropout and addition, normalisation and addition).
-- why: Each of them reads its inputs from memory and writes its result back. In a fused kernel the
--    values in between stay in registers.
-- needs: device
-- edit: remove device mark = fusible not in mark = zero_grad, optimizer_step, accumulate_grad, ddp_divide, ddp_copy not around-softmax chained
-- range: edit 0.5 1 a fused kernel still reads the inputs of all that it replaces
-- param: min_mean_ns ns 10000 0 1000000000 mean duration of such kernels; reported at or above this;
--    shorter ones are reported by small-kernels, which has the same limit
-- says: busy_pct = "% of the busy time"
-- says: kernel_ns = "% in all"
-- says: mean_ns several = "% each on average"
-- says: operator = "of %"
-- says: reason = "%"
-- source: PyTorch performance tuning guide (fuse pointwise operations); threshold: our default.
WITH op AS (
  SELECT o.name, sum(o.count) AS ops, sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.mark = 'fusible'
  GROUP BY o.name, d.busy_ns),
total AS (
  SELECT sum(exclusive_ns) AS exclusive_ns, sum(ops) AS ops FROM op)
SELECT
  o.name AS subject,
  0 AS gain_ns,
  'inferred' AS confidence,
  o.ops AS count,
  o.exclusive_ns * 100.0 / o.busy_ns AS busy_pct,
  o.exclusive_ns AS kernel_ns,
  o.exclusive_ns / o.ops AS mean_ns,
  k.operator AS operator,
  CASE WHEN r.name IS NOT NULL
    THEN 'a part of ' || r.pattern || ' of ' || r.dims || ' in several kernels, which ' || r.remedy || ' does in one'
    WHEN EXISTS (SELECT 1 FROM capability c WHERE c.trace_id = :trace_id AND c.name = 'shapes' AND c.present = 0)
    THEN 'sizes are not recorded, so it is not known whether each reads what the one before wrote' END AS reason
FROM op o
JOIN total t
LEFT JOIN kernel_operator k ON k.trace_id = :trace_id AND k.name = o.name
LEFT JOIN fusion_reason r ON r.trace_id = :trace_id AND r.name = o.name
WHERE t.exclusive_ns >= :min_mean_ns * t.ops
  AND o.exclusive_ns > 0
ORDER BY kernel_ns DESC, subject
