-- DistributedDataParallel sends the buffers of rank 0 (running means of batch norms and the like) to
-- all ranks at the start of each forward pass. One row per collective.
--
-- id: ddp-buffer-broadcasts
-- order: 495
-- title: DistributedDataParallel broadcasts buffers in each forward pass
-- do: Pass broadcast_buffers=False to DistributedDataParallel. Where statistics must be the same on
--    all ranks, use SyncBatchNorm.
-- why: The forward pass begins with what these broadcasts bring, so nothing hides them.
-- needs: host, device, communication
-- part-of: exposed-communication
-- edit: remove device collective = broadcast in mark = ddp_forward
-- param: min_per_step_ratio ratio 1 0 1000000 broadcasts per step; reported at or above this; our
--    default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: device_ns = "% on the device"
-- source: PyTorch DistributedDataParallel (broadcast_buffers); threshold: our default.
WITH forward AS (
  SELECT sum(count) AS calls FROM host_total
  WHERE trace_id = :trace_id AND mark = 'ddp_forward'),
sent AS (
  SELECT o.name, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.collective = 'broadcast'
  GROUP BY o.name)
SELECT
  s.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  s.ops AS count,
  s.ops * 1.0 / max(w.device_step_count, 1) AS per_step_ratio,
  s.dur_ns AS device_ns
FROM sent s
JOIN forward f
JOIN steady w ON w.trace_id = :trace_id
WHERE f.calls > 0
  AND (SELECT sum(ops) FROM sent) >= :min_per_step_ratio * max(w.device_step_count, 1)
ORDER BY device_ns DESC, subject
