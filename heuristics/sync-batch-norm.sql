-- SyncBatchNorm gathers the statistics of all ranks in each forward pass and reduces their gradients in each backward pass, with
-- small collectives that the layer waits for. One row per kind of collective.
--
-- id: sync-batch-norm
-- order: 497
-- title: Batch norms wait for the statistics of all ranks
-- do: Use plain BatchNorm where each rank has enough samples, or GroupNorm. From some 16 to 32 samples a rank, statistics of a rank
--    are as good in most models; convert back only the layers with few pixels. Freeze the norms when you fine-tune.
-- why: A layer goes on when its statistics are there, so nothing hides these collectives, and every late rank holds up each of them.
-- needs: host, device, communication, launches, training
-- part-of: exposed-communication, host-bound
-- edit: remove device engine = communication, nic in mark = sync_norm
-- edit: remove role = collective in mark = sync_norm
-- param: min_per_step_ratio ratio 1 0 1000000 such collectives per step; reported at or above this; our default
-- says: per_step_ratio not-zero = "% per step"
-- says: collective_ns = "% on the device"
-- says: call_ratio not-zero = "in % calls of synchronised norms per step"
-- source: PyTorch documentation, torch.nn.SyncBatchNorm; Wu and He, Group Normalization (2018), for the batch sizes; threshold: our default.
WITH RECURSIVE inside(id) AS (
  SELECT n.id
  FROM op_tree_row n
  JOIN label l ON l.id = n.label_id
  WHERE n.trace_id = :trace_id AND l.mark = 'sync_norm'
  UNION
  SELECT n.id
  FROM inside i
  JOIN op_tree_row n ON n.parent_id = i.id AND n.trace_id = :trace_id),
moved AS (
  SELECT coalesce(l.collective, 'other') AS kind, sum(k.count) AS ops, sum(k.dur_ns) AS dur_ns
  FROM busiest_device d
  JOIN op_kernel_row k ON k.trace_id = d.trace_id AND k.node_id IN (SELECT id FROM inside)
  JOIN track t ON t.id = k.track_id AND t.device = d.device
  JOIN label l ON l.id = k.label_id
  WHERE d.trace_id = :trace_id AND l.collective IS NOT NULL
  GROUP BY 1),
called AS (
  SELECT coalesce(sum(h.outer_count), 0) AS calls
  FROM host_total h
  WHERE h.trace_id = :trace_id AND h.mark = 'sync_norm')
SELECT
  m.kind AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  m.ops AS count,
  m.ops * 1.0 / max(w.device_step_count, 1) AS per_step_ratio,
  m.dur_ns AS collective_ns,
  c.calls * 1.0 / max(w.device_step_count, 1) AS call_ratio
FROM moved m
JOIN called c
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(ops) FROM moved) >= :min_per_step_ratio * max(w.device_step_count, 1)
ORDER BY m.dur_ns DESC, subject
