-- Kernels that only change the layout of tensors. One row per kernel.
--
-- id: layout-transposes
-- order: 390
-- title: The device spends time on changing tensor layouts
-- do: Keep one layout through the model: channels_last for convolutions. {nhwc}Do not call permute()
--    or contiguous() between operations that accept either layout.
-- why: A transpose moves every byte and computes nothing.
-- needs: device
-- edit: remove device class = transpose with-launches
-- range: edit 0 2 ResNet-50 in mixed precision on A100s took no less time in channels_last (PyTorch issue
--    82699), or a third less (NVIDIA apex issue 1445): some transposes stay, and other kernels change
-- says: exclusive_ns not-gain = "% of device time while nothing else runs"
-- says: busy_pct = "% of the busy time"
-- says: mean_ns several = "% each on average"
-- says: engine = "runs on %"
-- says: operator = "of %"
-- source: PyTorch performance tuning guide (channels_last); PyTorch pull requests 63617, 110319, 160529 and
--    170947 (MIOpen and channels_last).
WITH layout AS (
  SELECT o.name, o.engine, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns,
    sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id
    AND o.class = 'transpose'
  GROUP BY o.name, o.engine, d.busy_ns)
SELECT
  l.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  l.ops AS count,
  l.exclusive_ns AS exclusive_ns,
  l.exclusive_ns * 100.0 / l.busy_ns AS busy_pct,
  l.dur_ns / l.ops AS mean_ns,
  l.engine AS engine,
  k.operator AS operator
FROM layout l
LEFT JOIN kernel_operator k ON k.trace_id = :trace_id AND k.name = l.name
WHERE l.exclusive_ns > 0
ORDER BY exclusive_ns DESC, subject, engine
