-- The gradient norm is computed parameter by parameter. Norms within an optimizer's step are its own,
-- unless its closure runs the pass, and so zeroes the gradients there.
--
-- id: unfused-clip-norm
-- order: 270
-- title: Gradient clipping computes one norm per parameter
-- do: Use {fused_clip}.
-- why: Hundreds of tiny norms, and the copies that stack them, keep the host busy between backward
--    and the optimizer.
-- needs: host, device, training
-- part-of: host-bound, small-kernels, pointwise-fusion
-- edit: remove host class = gradient_norm with-work
-- edit: remove device class = gradient_norm
-- edit: remove host name = 'aten::mul_' clipped
-- edit: fuse device in name = 'aten::mul_' clipped by 1
-- range: edit 0.75 1.5 a fused norm still reads the gradients once, and one call still lists them; where
--    operations become nodes of graphs, those that scale the gradients have the names of all multiplications
-- param: min_norm_per_step_ratio ratio 10 1 1000000 norm operations per step; reported at or above
--    this; our default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: host_ns = "% of host time"
-- says: kernel_ns = "% of its kernels on the device"
-- source: Intel Gaudi model optimization (FusedClipNorm); threshold: our default.
WITH norm AS (
  SELECT name, sum(count - iif((SELECT total(optimizer_count) FROM host_total
      WHERE trace_id = :trace_id AND mark = 'zero_grad') = 0, optimizer_count, 0)) AS calls,
    sum(dur_ns) AS dur_ns
  FROM host_total
  WHERE trace_id = :trace_id AND class = 'gradient_norm'
  GROUP BY name),
kernel AS (
  SELECT coalesce(sum(k.exclusive_ns), 0) AS exclusive_ns
  FROM busiest_device d
  JOIN op_total k ON k.trace_id = d.trace_id AND k.device = d.device
  WHERE d.trace_id = :trace_id
    AND k.class = 'gradient_norm'),
fused AS (
  SELECT count(*) AS names FROM host_total
  WHERE trace_id = :trace_id
    AND mark = 'fused_clip')
SELECT
  n.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  n.calls AS count,
  n.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  n.dur_ns AS host_ns,
  k.exclusive_ns AS kernel_ns
FROM norm n
JOIN kernel k
JOIN fused f
JOIN steady w ON w.trace_id = :trace_id
WHERE f.names = 0
  AND n.calls >= :min_norm_per_step_ratio * max(w.step_count, 1)
ORDER BY host_ns DESC, subject
