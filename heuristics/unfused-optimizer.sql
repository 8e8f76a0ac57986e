-- The optimizer updates every parameter with several small operations: steps of an update by their
-- names, or operations on elements and kernels launched within its step where that runs no layers (a
-- closure does). The gain is its host time with no device at work, and the device time of the
-- operations that a fused optimizer does not run one by one. In lazy mode these are a graph that is
-- launched after the step. One row per optimizer.
--
-- id: unfused-optimizer
-- order: 260
-- title: The optimizer runs as many small operations
-- do: Update parameters together: {fused_optimizer}.
-- why: A model has hundreds of parameters. With one to five operations each, the host must launch a
--    long queue of tiny work.
-- needs: host, device, training
-- part-of: small-kernels, pointwise-fusion
-- edit: fuse device in mark = optimizer_step kind = kernel by :kept_ratio
-- edit: fuse device class = update by :kept_ratio
-- edit: fuse device kind = kernel update-graph by :kept_ratio
-- edit: scale host in mark = optimizer_step by :host_kept_ratio
-- edit: nowait role = launch in mark = optimizer_step
-- param: min_op_count count 50 1 1000000 small update operations per optimizer step; reported at or
--    above this; our default, no published source
-- param: kept_ratio ratio 0.35 0 1 part of the kernels' time, without that of starting them, that a
--    fused optimizer still takes; by the memory that they read and write: a fused AdamW touches each
--    parameter 7 times, the operations of the loop 20 times
-- range: kept_ratio 0.1 0.6 fused kernels of simulated runs took a tenth to more than half, whatever
--    memory they touch
-- param: host_kept_ratio ratio 0.1 0 1 part of the host time that a fused optimizer still
--    takes; our default, no published source
-- range: host_kept_ratio 0.05 0.25 from one call for all parameters to Python code that lists each of
--    them, as that of torch.optim does before the call (_init_group); our defaults, no published source
-- says: count not-zero = "# optimizer step~"
-- says: ops_per_step_ratio = "% small operations each"
-- says: example = "such as %"
-- says: optimizer_ns not-gain = "% of host time"
-- says: mean_step_ns = "% each on average"
-- says: exposed_ns not-gain = "% with no device at work"
-- says: kernel_ns not-gain = "% of its kernels on the device"
-- source: Intel Gaudi model optimization (fused operators); PyTorch performance tuning guide (fused
--    optimizers); thresholds: our defaults.
WITH optimizer AS (
  SELECT name, sum(outer_count) AS steps, CAST(total(outer_ns) AS INTEGER) AS dur_ns,
    max(outer_exposed_ns) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'optimizer_step' AND outer_count > 0
  GROUP BY name),
small AS (
  SELECT max(coalesce(sum(iif(class = 'update', count, 0)), 0),
      iif(coalesce(sum(iif(class IN ('matrix', 'convolution', 'attention'), optimizer_count, 0)), 0) = 0,
        max(coalesce(sum(iif(mark = 'kernel_launch' AND role = 'launch', optimizer_count, 0)), 0),
          coalesce(sum(iif(class IN ('update', 'elementwise') AND role = 'dispatch',
            optimizer_count, 0)), 0)), 0)) AS ops,
    coalesce(max(iif(class = 'update', name, NULL)), (SELECT h.name FROM host_total h
      WHERE h.trace_id = :trace_id AND h.role = 'dispatch' AND h.optimizer_count > 0
      ORDER BY h.optimizer_count DESC, h.name LIMIT 1)) AS example
  FROM host_total
  WHERE trace_id = :trace_id),
kernel AS (
  SELECT coalesce(sum(k.exclusive_ns), 0) AS exclusive_ns
  FROM busiest_device d
  JOIN op_total k ON k.trace_id = d.trace_id AND k.device = d.device
  WHERE d.trace_id = :trace_id AND k.class = 'update'),
fused AS (
  SELECT count(*) AS names FROM host_total
  WHERE trace_id = :trace_id AND class = 'optimizer')
SELECT
  o.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  o.steps AS count,
  s.ops * 1.0 / o.steps AS ops_per_step_ratio,
  s.example AS example,
  o.dur_ns AS optimizer_ns,
  o.dur_ns / o.steps AS mean_step_ns,
  o.exposed_ns AS exposed_ns,
  k.exclusive_ns AS kernel_ns
FROM optimizer o
JOIN small s
JOIN kernel k
JOIN fused f
WHERE f.names = 0 AND s.ops >= :min_op_count * (SELECT sum(steps) FROM optimizer)
ORDER BY optimizer_ns DESC, subject
