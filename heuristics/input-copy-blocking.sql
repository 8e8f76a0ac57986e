-- Copies to the device block the host, and it loses its lead. Copies from pageable memory run while
-- nothing computes. Copies of a Gaudi show no direction, so the call that makes them tells it. Copies
-- within indexing belong to cpu-index-tensors, and those of the weights at the start of a recording to
-- runtime-setup. One row per call and operation, and one per pageable copy.
--
-- id: input-copy-blocking
-- order: 130
-- title: The device waits for its inputs to be copied
-- do: Pin the host memory and copy with non_blocking=True. The host then continues while the
--    copy runs. In the DataLoader, pin_memory=True pins it.
-- why: A copy from pageable memory blocks the host until it is done. The host launches nothing in
--    that time.
-- needs: host, device
-- part-of: host-bound, dma-exposed
-- edit: nowait role = input_copy not in role = cpu_fallback not in class = index loaded
-- edit: nowait role = sync in mark = copy_carrier not in role = cpu_fallback, output_copy not in class = index loaded
-- edit: nowait device direction = HtoD not in role = cpu_fallback not in class = index loaded
-- edit: nowait device kind = memcpy in role = input_copy not in role = cpu_fallback not in class = index loaded
-- edit: scale device kind = memcpy in role = input_copy not in role = cpu_fallback not in class = index loaded by :kept_ratio
-- edit: scale device kind = memcpy in mark = copy_carrier not in role = input_copy, output_copy, cpu_fallback not in class = index not direction = DtoH, DtoD, PtoP loaded by :kept_ratio
-- param: kept_ratio ratio 0.4 0 1 part of a pageable copy's time that a pinned one takes; NVIDIA,
--    How to Optimize Data Transfers in CUDA: 2.3 and 5.8 GB/s
-- range: kept_ratio 0.2 0.7 4 GB/s from pageable memory on hosts of today, and 6 to 25 GB/s on
--    PCIe 3.0 to 4.0 from pinned memory
-- says: cost_pct with-gain = "(% of the wall time)"
-- says: copy_ns not-gain = "% in the copies"
-- says: longest_ns several = "the longest %"
-- says: blocked_ns not-zero = "the host waits for them for %"
-- says: exposed_transfer_ns not-zero = "% of copies between host and device while nothing else runs"
-- says: per_step_ratio not-zero = "% per step"
-- says: pin_memory_count = "# call~ of pin_memory in the trace"
-- says: python = "called at %"
-- source: Intel Gaudi model optimization (pinned memory, non-blocking copies); PyTorch performance
--    tuning guide.
WITH indexing AS MATERIALIZED (
  SELECT l.name FROM label l WHERE l.class = 'index'),
loaded AS MATERIALIZED (
  SELECT max(t.start_ns + m.value) AS ts
  FROM metric m
  JOIN trace t ON t.id = m.trace_id
  WHERE m.trace_id = :trace_id AND m.name = 'loading_ns'),
input AS (
  SELECT b.name || CASE WHEN b.caller <> '' AND b.caller <> b.name THEN ' in ' || b.caller
      ELSE '' END AS call,
    b.dur, min(b.dur, b.exposed_ns + b.idle_ns + b.transfer_ns + b.after_transfer_ns) AS cost_ns,
    b.transfer_ns + b.after_transfer_ns AS transfer_ns, b.python
  FROM host_block b
  JOIN loaded a ON b.ts >= coalesce(a.ts, b.ts)
  WHERE b.trace_id = :trace_id AND b.kind = 'input_copy' AND b.name NOT IN (
    SELECT l.name FROM label l WHERE l.mark = 'pin_memory')
    AND coalesce(b.caller, '') NOT IN (SELECT name FROM indexing)),
part AS (
  SELECT i.call AS subject, CAST(total(i.cost_ns) AS INTEGER) AS cost_ns, count(*) AS calls,
    CAST(total(i.dur) AS INTEGER) AS dur_ns, max(i.dur) AS longest_ns,
    CAST(total(i.transfer_ns) AS INTEGER) AS transfer_ns, min(i.python) AS python,
    0 AS is_device
  FROM input i GROUP BY i.call
  UNION ALL
  SELECT o.name, max(sum(o.exclusive_ns) - (SELECT CAST(total(i.transfer_ns) AS INTEGER)
      FROM input i), 0),
    sum(o.count), CAST(total(o.dur_ns) AS INTEGER), max(o.max_ns), sum(o.exclusive_ns), NULL,
    1
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.mark = 'pageable' GROUP BY o.name
  HAVING sum(o.count) > (SELECT count(*) FROM host_event e JOIN loaded a
    WHERE e.trace_id = :trace_id AND e.role = 'input_copy'
      AND (e.ts < a.ts OR e.caller IN (SELECT name FROM indexing))))
SELECT
  p.subject AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  p.calls AS count,
  p.cost_ns * 100.0 / w.wall_ns AS cost_pct,
  p.dur_ns AS copy_ns,
  p.longest_ns AS longest_ns,
  (SELECT sum(h.dur) FROM host_wait h WHERE h.trace_id = :trace_id AND h.op = p.subject)
    AS blocked_ns,
  p.transfer_ns AS exposed_transfer_ns,
  p.calls * 1.0 / nullif(iif(p.is_device, w.device_step_count, w.step_count), 0) AS per_step_ratio,
  (SELECT coalesce(sum(h.count), 0) FROM host_total h WHERE h.trace_id = :trace_id
    AND h.mark = 'pin_memory') AS pin_memory_count,
  p.python AS python
FROM part p
JOIN steady w ON w.trace_id = :trace_id
WHERE p.cost_ns > 0
ORDER BY p.cost_ns DESC, subject
