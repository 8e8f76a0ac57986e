-- Kernels over elements take a large part of the busy time, and each reads and writes memory for
-- itself. Short ones are the matter of small-kernels. A fused kernel costs about as
-- much as one of the run that it replaces. One row per kernel.
--
-- id: pointwise-fusion
-- order: 395
-- title: Operations on elements run one by one
-- do: Fuse chains of operations on elements with a compiler. That is {compile}. Or use fused modules
--    (bias and activation, dropout and addition, normalisation and addition).
-- why: Each of them reads its inputs from memory and writes its result back. In a fused kernel the
--    values in between stay in registers.
-- needs: device
-- edit: remove device mark = fusible not in mark = zero_grad, optimizer_step, accumulate_grad, ddp_divide, ddp_copy not around-softmax repeated
-- range: edit 0.5 1 a fused kernel still reads the inputs of all that it replaces
-- param: min_mean_ns ns 10000 0 1000000000 mean duration of such kernels; reported at or above this;
--    shorter ones are reported by small-kernels, which has the same limit
-- says: busy_pct = "% of the busy time"
-- says: kernel_ns = "% in all"
-- says: mean_ns several = "% each on average"
-- says: operator = "of %"
-- says: reason = "%"
-- source: PyTorch performance tuning guide (fuse pointwise operations); threshold: our default.
WITH part(pattern, name, remedy) AS (
  VALUES ('softmax', 'aten::exp', 'torch.softmax'), ('softmax', 'aten::sum', NULL), ('softmax', 'aten::div', NULL),
    ('RMS normalisation', 'aten::pow', 'torch.nn.functional.rms_norm'), ('RMS normalisation', 'aten::mean', NULL), ('RMS normalisation', 'aten::mul', NULL),
    ('SwiGLU', 'aten::silu', 'a fused silu_and_mul'), ('SwiGLU', 'aten::mul', NULL)),
-- Operators of one pattern on tensors of one size, called by one other.
chain AS MATERIALIZED (
  SELECT n.parent_id, p.pattern, json_extract(a.input_dims, '$[0]') AS dims, max(p.remedy) AS remedy
  FROM part p
  JOIN label l ON l.name = p.name
  JOIN op_tree_row n ON n.label_id = l.id AND n.trace_id = :trace_id AND n.kind = 'operator' AND n.device_ns > 0
  JOIN op_args a ON a.node_id = n.id
  GROUP BY n.parent_id, p.pattern, dims
  HAVING count(DISTINCT p.name) = (SELECT count(*) FROM part q WHERE q.pattern = p.pattern)),
reason AS MATERIALIZED (
  SELECT d.name, max('a part of ' || c.pattern || ' of ' || c.dims || ' in several kernels, which ' || c.remedy || ' does in one') AS text
  FROM chain c
  JOIN op_tree_row n ON n.parent_id IS c.parent_id AND n.trace_id = :trace_id AND n.kind = 'operator'
  JOIN op_args a ON a.node_id = n.id AND json_extract(a.input_dims, '$[0]') = c.dims
  JOIN op_tree_row i ON i.op_id = n.id
  JOIN op_kernel_row k ON coalesce(k.capture_id, k.node_id) = i.id
  JOIN label d ON d.id = k.label_id
  GROUP BY d.name),
op AS (
  SELECT o.name, sum(o.count) AS ops, sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.mark = 'fusible'
  GROUP BY o.name, d.busy_ns),
total AS (
  SELECT sum(exclusive_ns) AS exclusive_ns, sum(ops) AS ops FROM op)
SELECT
  o.name AS subject,
  0 AS gain_ns,
  'inferred' AS confidence,
  o.ops AS count,
  o.exclusive_ns * 100.0 / o.busy_ns AS busy_pct,
  o.exclusive_ns AS kernel_ns,
  o.exclusive_ns / o.ops AS mean_ns,
  k.operator AS operator,
  r.text AS reason
FROM op o
JOIN total t
LEFT JOIN kernel_operator k ON k.trace_id = :trace_id AND k.name = o.name
LEFT JOIN reason r ON r.name = o.name
WHERE t.exclusive_ns >= :min_mean_ns * t.ops
  AND o.exclusive_ns > 0
ORDER BY kernel_ns DESC, subject
