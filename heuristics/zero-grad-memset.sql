-- Gradients are filled with zeros instead of being freed. The gain is the time of the calls with no
-- device at work, and the time of the fills on the device.
--
-- id: zero-grad-memset
-- order: 280
-- title: Gradients are set to zero one by one
-- do: Call zero_grad(set_to_none=True), the default of newer PyTorch versions.
-- why: Each parameter costs one fill, and backward then adds to the zeros instead of storing its
--    result.
-- needs: host, device, training
-- part-of: host-bound, small-kernels
-- edit: remove mark = zero_grad
-- edit: remove host class = elementwise in mark = accumulate_grad zeroed-pass with-work
-- param: min_zero_per_call_ratio ratio 5 1 1000000 zero fills per zero_grad call, without those of
--    new tensors; reported at or above this; our default, no published source
-- says: count several = "# call~"
-- says: fills_per_call_ratio = "% fills per call"
-- says: zero_grad_ns not-gain = "% of host time"
-- says: exposed_ns not-gain = "% with no device at work"
-- says: fill_ns not-zero = "% of fills on the device"
-- source: PyTorch performance tuning guide (set gradients to None); threshold: our default.
WITH zero_grad AS (
  SELECT name, sum(outer_count) AS calls, sum(outer_ns) AS dur_ns,
    max(outer_exposed_ns) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'zero_grad' AND outer_count > 0
  GROUP BY name),
fill AS (
  SELECT sum(iif(mark = 'fill_zero', count, 0 - count)) AS fills
  FROM host_total
  WHERE trace_id = :trace_id AND mark IN ('fill_zero', 'new_zeros')),
kernel AS (
  SELECT coalesce(sum(o.exclusive_ns), 0) AS exclusive_ns, sum(o.count) AS count
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.class = 'memset'),
filled AS (
  SELECT CAST(k.exclusive_ns * min(f.fills * 1.0 / max(k.count, 1), 1) AS INTEGER) AS ns
  FROM kernel k JOIN fill f)
SELECT
  z.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  z.calls AS count,
  f.fills * 1.0 / z.calls AS fills_per_call_ratio,
  z.dur_ns AS zero_grad_ns,
  z.exposed_ns AS exposed_ns,
  k.ns AS fill_ns
FROM zero_grad z
JOIN fill f
JOIN filled k
WHERE f.fills >= :min_zero_per_call_ratio * (SELECT sum(calls) FROM zero_grad)
ORDER BY zero_grad_ns DESC, subject
