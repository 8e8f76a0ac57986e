-- Copies have the size of a weight, do not change the type, and are followed by the operation that
-- uses such a weight. A copy with as many elements as that operation's input may be the input, and one
-- from the host of what the host has just made is an input. One row per size.
--
-- id: weight-copies
-- order: 410
-- title: Weights are copied on the device right before use
-- do: Share or tie weights inside the module, before it is moved to the device. Keep parameters
--    contiguous and in their final place.
-- why: A weight in another place or layout is copied again for every use, in every step.
-- needs: host, device, steps, shapes, launches
-- part-of: dma-exposed, device-copies
-- edit: remove device kind = memcpy before class = matrix, convolution
-- param: min_per_step_ratio ratio 1 0 1000000 such copies of one size per step; reported at or
--    above this; our default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: copy_ns = "% in the copies"
-- says: from_host_count not-zero = "# of them from the host"
-- source: Intel Gaudi model optimization (weight sharing inside the module); threshold: our
--    default.
WITH RECURSIVE used AS (
  SELECT f.id, f.kind, lead(f.id) OVER sequence AS next_id
  FROM framework_op f
  WHERE f.trace_id = :trace_id
    AND (f.kind IN ('copy', 'convolution') OR f.kind = 'matmul' AND f.name = 'aten::linear')
  WINDOW sequence AS (PARTITION BY f.thread_id ORDER BY f.ts, f.id)),
copied AS MATERIALIZED (
  SELECT c.input_dims -> '$[0]' AS size, n.input_dims -> '$[0]' AS input_size, c.device_ns,
    c.input_copy_count
  FROM used u
  JOIN framework_op n ON n.id = u.next_id AND n.kind IN ('matmul', 'convolution')
  JOIN framework_op c ON c.id = u.id
  JOIN step s ON s.id = c.step_id AND NOT s.is_warm_up
  WHERE u.kind = 'copy'
    AND (c.input_dims -> '$[0]') = (n.input_dims -> '$[1]')
    AND (c.input_dims -> '$[0]') = (c.input_dims -> '$[1]')
    AND json_array_length(c.input_dims, '$[0]') > 1
    AND json_array_length(n.input_dims, '$[0]') > 1
    AND NOT (c.input_copy_count > 0 AND c.previous_is_host
      AND coalesce(c.previous_size, '') = (c.input_dims -> '$[0]'))
    AND (c.input_types ->> '$[0]') = (c.input_types ->> '$[1]')),
-- The elements of each size, one dimension after the other.
product AS (
  SELECT size, 0 AS dims, 1 AS elements FROM copied UNION SELECT input_size, 0, 1 FROM copied
  UNION
  SELECT p.size, p.dims + 1, p.elements * (p.size ->> p.dims)
  FROM product p WHERE p.dims < json_array_length(p.size)),
elements AS MATERIALIZED (
  SELECT p.size, p.elements FROM product p WHERE p.dims = json_array_length(p.size)),
weight AS (
  SELECT c.size, count(*) AS copies, sum(c.device_ns) AS device_ns,
    sum(c.input_copy_count > 0) AS from_host_count
  FROM copied c
  JOIN elements e ON e.size = c.size
  JOIN elements i ON i.size = c.input_size AND i.elements <> e.elements
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
