-- DistributedDataParallel sends the buffers of rank 0 (running means of batch norms and the like) to
-- all ranks at the start of each forward pass: it joins them, sends what it joined, and copies each
-- buffer back. One row per collective.
--
-- id: ddp-buffer-broadcasts
-- order: 495
-- title: DistributedDataParallel broadcasts buffers in each forward pass
-- do: Pass broadcast_buffers=False to DistributedDataParallel. Where statistics must be the same on
--    all ranks, use SyncBatchNorm.
-- why: The forward pass begins with what these broadcasts bring, so nothing hides them.
-- needs: host, device, communication
-- part-of: exposed-communication, host-bound
-- edit: remove device collective = broadcast in mark = ddp_forward
-- edit: remove role = collective in mark = ddp_forward
-- edit: remove host class = copy before role = collective with-work
-- edit: remove device kind = memcpy direction = DtoD in mark = ddp_forward not in name = 'aten::clone' not in name = 'aten::contiguous' not in name = 'aten::_to_copy' not in name = 'aten::cat' with-launches
-- param: min_per_step_ratio ratio 1 0 1000000 broadcasts per step; reported at or above this; our
--    default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: device_ns = "% on the device"
-- says: host_ns not-zero = "% of host time in the calls"
-- source: PyTorch DistributedDataParallel (broadcast_buffers); threshold: our default.
WITH forward AS (
  SELECT sum(count) AS calls FROM host_total
  WHERE trace_id = :trace_id AND mark = 'ddp_forward'),
sent AS (
  SELECT o.name, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.collective = 'broadcast'
  GROUP BY o.name),
called AS (
  SELECT coalesce(sum(e.dur), 0) AS dur_ns FROM steady_host_event e
  JOIN label l ON l.name = e.name AND l.collective = 'broadcast'
  WHERE e.trace_id = :trace_id AND e.role = 'collective')
SELECT
  s.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  s.ops AS count,
  s.ops * 1.0 / max(w.device_step_count, 1) AS per_step_ratio,
  s.dur_ns AS device_ns,
  c.dur_ns AS host_ns
FROM sent s
JOIN forward f
JOIN called c
JOIN steady w ON w.trace_id = :trace_id
WHERE f.calls > 0
  AND (SELECT sum(ops) FROM sent) >= :min_per_step_ratio * max(w.device_step_count, 1)
ORDER BY device_ns DESC, subject
