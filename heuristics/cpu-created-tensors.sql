-- Operations fill a tensor on the CPU, and a copy to the device follows directly. One row per
-- operation.
--
-- id: cpu-created-tensors
-- order: 230
-- title: Tensors are created on the CPU and copied to the device
-- do: Create the tensor where it is used: pass device= to the call.
-- why: The CPU fills the tensor, and the copy from pageable memory blocks the host. The device
--    could fill the tensor itself in almost no time.
-- needs: host, device
-- part-of: input-copy-blocking, device-sync, dma-exposed
-- edit: remove host class = memset, random before mark = copy_carrier
-- edit: remove role = input_copy after class = memset, random with-work
-- edit: remove role = sync in mark = copy_carrier after class = memset, random with-work
-- param: min_per_step_ratio ratio 1 0 1000000 such tensors per step; reported at or above this; our
--    default, no published source: one in each step
-- says: per_step_ratio not-zero = "% per step"
-- says: copy_ns = "% in the copies"
-- says: host_ns = "% of host time"
-- says: exclusive_ns not-zero = "% while the device does nothing else"
-- says: example_size = "of size %"
-- source: PyTorch performance tuning guide (create tensors on the target device); the pattern
--    matcher of the PyTorch profiler (extra copy to the device); threshold: our default.
WITH mark AS (
  SELECT f.id, f.ts, f.ts + f.dur AS end_ts, 0 AS transfer_ns
  FROM framework_op f
  WHERE f.trace_id = :trace_id AND f.kind = 'copy' AND f.previous_is_host
    AND f.previous IN ('aten::zeros', 'aten::ones', 'aten::full', 'aten::rand', 'aten::randn',
      'aten::randint', 'aten::randperm', 'aten::arange', 'aten::linspace', 'aten::eye',
      'aten::zeros_like', 'aten::ones_like', 'aten::full_like', 'aten::rand_like',
      'aten::randn_like', 'aten::normal', 'aten::normal_', 'aten::uniform_', 'aten::random_',
      'aten::bernoulli_', 'aten::exponential_', 'aten::fill_', 'aten::zero_')
  UNION ALL
  SELECT NULL, h.ts, h.ts + h.dur, h.transfer_ns FROM steady_host_event h
  WHERE h.trace_id = :trace_id AND (h.role = 'input_copy' OR h.role = 'sync' AND h.in_copy)),
waited AS (
  SELECT m.id, m.end_ts, lead(m.id) OVER next AS next_id, lead(m.ts) OVER next AS next_ts,
    lead(m.transfer_ns) OVER next AS transfer_ns
  FROM mark m
  WINDOW next AS (ORDER BY m.ts, m.end_ts DESC, m.id)),
made AS (
  SELECT f.previous AS maker, f.input_dims -> '$[0]' AS size, f.dur, f.previous_size,
    coalesce(f.previous_dur, 0) AS make_ns, f.exclusive_ns,
    iif(a.next_id IS NULL AND a.next_ts < a.end_ts, a.transfer_ns, NULL) AS transfer_ns
  FROM waited a
  JOIN framework_op f ON f.id = a.id
  LEFT JOIN step s ON s.id = f.step_id
  WHERE NOT coalesce(s.is_warm_up, 0)
    AND (f.input_copy_count > 0
      OR f.launch_count = 0 AND a.next_id IS NULL AND a.next_ts < a.end_ts)),
moved AS (
  SELECT m.*, coalesce(m.exclusive_ns, m.transfer_ns, 0) AS copy_ns
  FROM made m
  WHERE m.size IS NULL OR m.previous_size IS NULL OR m.previous_size = m.size)
SELECT
  c.maker AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  count(*) AS count,
  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,
  sum(c.dur) AS copy_ns,
  sum(c.make_ns) AS host_ns,
  sum(c.copy_ns) AS exclusive_ns,
  max(c.size) AS example_size
FROM moved c
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT count(*) FROM moved) >= :min_per_step_ratio * max(w.step_count, 1)
GROUP BY c.maker
ORDER BY copy_ns + host_ns DESC, count DESC, subject
