-- Copies have the size of a weight, do not change the type, and are followed by the operation that
-- uses such a weight. One row per size.
--
-- id: weight-copies
-- order: 410
-- title: Weights are copied on the device right before use
-- do: Share or tie weights inside the module, before it is moved to the device. Keep parameters
--    contiguous and in their final place.
-- why: A weight in another place or layout is copied again for every use, in every step.
-- needs: host, device, steps, shapes, launches
-- part-of: dma-exposed
-- edit: remove device kind = memcpy before class = matrix, convolution
-- param: min_per_step_ratio ratio 1 0 1000000 such copies of one size per step; reported at or
--    above this; our default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: copy_ns = "% in the copies"
-- says: from_host_count not-zero = "# of them from the host"
-- source: Intel Gaudi model optimization (weight sharing inside the module); threshold: our
--    default.
WITH used AS (
  SELECT f.kind, f.step_id, f.input_dims, f.input_types, f.exclusive_ns, f.device_ns,
    f.input_copy_count, lead(f.kind) OVER sequence AS next_kind,
    lead(f.input_dims) OVER sequence AS next_dims
  FROM framework_op f
  WHERE f.trace_id = :trace_id
    AND (f.kind IN ('copy', 'convolution') OR f.kind = 'matmul' AND f.name = 'aten::linear')
  WINDOW sequence AS (PARTITION BY f.thread_id ORDER BY f.ts, f.id)),
copied AS (
  SELECT u.input_dims -> '$[0]' AS size, u.exclusive_ns, u.device_ns, u.input_copy_count, u.step_id
  FROM used u
  JOIN step s ON s.id = u.step_id AND NOT s.is_warm_up
  WHERE u.kind = 'copy' AND u.next_kind IN ('matmul', 'convolution')
    AND (u.input_dims -> '$[0]') = (u.next_dims -> '$[1]')
    AND (u.input_dims -> '$[0]') = (u.input_dims -> '$[1]')
    AND json_array_length(u.input_dims, '$[0]') > 1
    AND (u.input_types ->> '$[0]') = (u.input_types ->> '$[1]')),
weight AS (
  SELECT c.size, count(*) AS copies, count(DISTINCT c.step_id) AS steps,
    sum(c.device_ns) AS device_ns,
    sum(c.input_copy_count > 0) AS from_host_count
  FROM copied c
  GROUP BY c.size)
SELECT
  'weight of ' || x.size AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  x.copies AS count,
  x.copies * 1.0 / w.step_count AS per_step_ratio,
  x.device_ns AS copy_ns,
  x.from_host_count AS from_host_count
FROM weight x
JOIN steady w ON w.trace_id = :trace_id
WHERE w.step_count > 0 AND x.copies >= :min_per_step_ratio * w.step_count
ORDER BY copy_ns DESC, count DESC, subject
