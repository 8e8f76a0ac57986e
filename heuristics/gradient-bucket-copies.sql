-- DDP copies gradients into its buckets and back.
--
-- id: gradient-bucket-copies
-- order: 480
-- title: Gradients are copied in and out of the buckets
-- do: Set gradient_as_bucket_view=True in DistributedDataParallel. Gradients are then views of the
--    buckets.
-- why: Each parameter costs a copy on the device and its launch on the host, in every step. The
--    gradients also take twice the memory.
-- needs: host, device, communication, training
-- part-of: device-copies, small-kernels, host-bound
-- edit: remove host mark = ddp_copy launches
-- edit: remove device in mark = ddp_copy
-- param: min_per_step_ratio ratio 1 1 1000000 bucket copies per step; reported at or above this;
--    one per parameter and step is usual
-- says: per_step_ratio not-zero = "% per step"
-- says: host_ns = "% of host time"
-- says: exposed_ns = "% with no device at work"
-- says: device_ns = "% on the device"
-- source: Intel Gaudi model optimization (gradients as views of buckets).
WITH bucket AS (
  SELECT name, sum(count) AS copies, sum(dur_ns) AS dur_ns, max(exposed_ns) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'ddp_copy'
  GROUP BY name)
SELECT
  b.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  b.copies AS count,
  b.copies * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  b.dur_ns AS host_ns,
  b.exposed_ns AS exposed_ns,
  (SELECT sum(f.device_ns)
    FROM framework_op f
    JOIN slice_nest n ON n.slice_id = f.slice_id
    JOIN slice_row r ON r.id = n.parent_id
    JOIN label l ON l.id = r.label_id
    WHERE f.trace_id = :trace_id AND f.kind = 'copy'
      AND l.mark = 'ddp_copy') AS device_ns
FROM bucket b
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(copies) FROM bucket) >= :min_per_step_ratio * max(w.step_count, 1)
ORDER BY host_ns DESC, subject
