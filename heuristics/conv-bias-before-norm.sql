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
summed AS (
  SELECT total(b.exclusive_ns) / max((SELECT count(*) FROM biased), 1) AS each_ns
  FROM framework_op b
  WHERE b.trace_id = :trace_id AND b.kind = 'bias_sum'),
-- Additions of a bias after the convolution that began last on their thread, and within it.
mark AS (
  SELECT f.thread_id, f.ts, f.end_ts, f.pattern, f.input_dims, NULL AS bias_ns, 1 AS begins FROM fed f
  UNION ALL
  SELECT b.thread_id, b.ts, NULL, NULL, NULL, b.exclusive_ns, 0
  FROM framework_op b
  WHERE b.trace_id = :trace_id AND b.kind = 'bias_add'),
numbered AS (
  SELECT m.*, sum(m.begins) OVER earlier AS number, max(m.end_ts) OVER earlier AS until_ts
  FROM mark m
  WINDOW earlier AS (PARTITION BY m.thread_id ORDER BY m.ts, m.begins DESC ROWS UNBOUNDED PRECEDING)),
costed AS (
  SELECT max(n.pattern) AS pattern, max(n.input_dims) AS input_dims, s.each_ns,
    sum(iif(n.ts < n.until_ts, n.bias_ns, NULL)) AS bias_ns
  FROM numbered n JOIN summed s
  WHERE n.number > 0
  GROUP BY n.thread_id, n.number)
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
