-- Indexing on the device with an index or a value that is on the CPU: the operation copies it to the device
-- and waits for that, behind all work in the stream. It is a tensor of the model, not an input, so no
-- loader can pin it. One row per operation.
--
-- id: cpu-index-tensors
-- order: 132
-- title: Operations index with tensors that are on the CPU
-- do: Keep the index on the device, as a buffer of the module. Make it once, in the constructor:
--    register_buffer(name, index, persistent=False). Or make it where it is used, with device=.
-- why: The operation copies the index to the device each time, and the host waits until all work before
--    that copy is done.
-- needs: host, device
-- part-of: host-bound
-- edit: remove role = input_copy in class = index with-work not in role = cpu_fallback
-- edit: remove role = sync in mark = copy_carrier in class = index not in role = cpu_fallback, output_copy
-- param: min_per_step_ratio ratio 0.5 0 1000000 such copies per step; reported at or above this; the same as
--    for device-sync
-- says: per_step_ratio not-zero = "% per step"
-- says: blocked_ns not-gain = "the host blocked for %"
-- says: longest_ns several = "the longest %"
-- says: idle_after_ns idle = "% idle after them"
-- says: python = "called at %"
-- source: PyTorch, expandTensors in aten/src/ATen/native/IndexingUtils.h (index.to(self.device())) and
--    issue 12461; threshold: our default.
WITH copying AS (
  SELECT e.caller AS operation, e.role, e.dur, e.exposed_ns, e.idle_after_ns, e.python
  FROM steady_host_event e
  LEFT JOIN wait_release r ON r.slice_id = e.slice_id
  LEFT JOIN slice_row o ON o.id = r.op_slice_id
  LEFT JOIN label d ON d.id = o.label_id
  WHERE e.trace_id = :trace_id AND e.in_copy
    AND e.caller IN (SELECT l.name FROM label l WHERE l.class = 'index')
    AND (e.role = 'input_copy' OR e.role = 'sync' AND coalesce(d.direction, 'HtoD') = 'HtoD')),
part AS (
  SELECT operation, sum(role = 'input_copy') AS copies, sum(dur) AS blocked_ns, max(dur) AS longest_ns,
    CAST(total(iif(role = 'sync', idle_after_ns, 0)) AS INTEGER) AS idle_after_ns,
    min(python) AS python
  FROM copying
  GROUP BY operation
  HAVING sum(role = 'input_copy') > 0 AND sum(role = 'sync') > 0)
SELECT
  p.operation AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  p.copies AS count,
  CASE WHEN w.step_count > 0 THEN p.copies * 1.0 / w.step_count END AS per_step_ratio,
  p.blocked_ns AS blocked_ns,
  p.longest_ns AS longest_ns,
  p.idle_after_ns AS idle_after_ns,
  p.python AS python
FROM part p
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(copies) FROM part) >= :min_per_step_ratio * w.step_count
ORDER BY p.blocked_ns DESC, count DESC, subject
