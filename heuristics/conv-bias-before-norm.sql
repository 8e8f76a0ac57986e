-- Convolutions with a bias that feed a batch norm. One row per kind of convolution and number of
-- channels.
--
-- id: conv-bias-before-norm
-- order: 430
-- title: Convolutions add a bias that the batch norm removes again
-- do: Create these convolutions with bias=False.
-- why: Batch norm subtracts the mean of each channel, and any constant with it. The bias costs an
--    addition forward and a sum backward, and changes nothing.
-- needs: host, device, shapes
-- part-of: small-kernels
-- edit: remove device class = elementwise, reduction in class = convolution
-- param: min_count count 1 1 1000000000 such convolutions in the trace; reported at or above this;
--    one is enough, because the bias never helps
-- says: bias_ns = "% of adding the bias"
-- says: gradient_ns not-zero = "% of summing its gradient"
-- source: PyTorch performance tuning guide (no bias before a batch norm).
WITH biased AS (
  SELECT c.slice_id, c.name, c.input_dims, c.thread_id, c.ts, c.ts + c.dur AS end_ts
  FROM framework_op c
  WHERE c.trace_id = :trace_id AND c.kind = 'convolution'
    AND json_array_length(c.input_dims, '$[2]') > 0),
fed AS (
  SELECT c.name || ' before ' || n.name AS pattern, c.input_dims, c.thread_id, c.ts, c.end_ts
  FROM framework_op n
  JOIN biased c ON c.slice_id = n.previous_slice_id
  WHERE n.trace_id = :trace_id AND n.kind = 'batch_norm'),
bias AS (
  SELECT b.thread_id, b.ts, b.exclusive_ns
  FROM framework_op b
  WHERE b.trace_id = :trace_id AND b.kind = 'bias_add'),
summed AS (
  SELECT total(b.exclusive_ns) / max((SELECT count(*) FROM biased), 1) AS each_ns
  FROM framework_op b
  WHERE b.trace_id = :trace_id AND b.kind = 'bias_sum'),
costed AS (
  SELECT f.pattern, f.input_dims, s.each_ns,
    (SELECT sum(b.exclusive_ns) FROM bias b
      WHERE b.thread_id = f.thread_id AND b.ts >= f.ts AND b.ts < f.end_ts) AS bias_ns
  FROM fed f JOIN summed s)
SELECT
  c.pattern || ', ' || (c.input_dims ->> '$[2][0]') || ' channels' AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  count(*) AS count,
  sum(c.bias_ns) AS bias_ns,
  CAST(sum(c.each_ns) AS INTEGER) AS gradient_ns
FROM costed c
WHERE (SELECT count(*) FROM fed) >= :min_count
GROUP BY c.pattern, c.input_dims ->> '$[2][0]'
ORDER BY coalesce(bias_ns, 0) + gradient_ns DESC, count DESC, subject
