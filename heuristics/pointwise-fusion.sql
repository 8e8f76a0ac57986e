-- Kernels over elements take a large part of the busy time, and each reads and writes memory for
-- itself. Short ones are the matter of small-kernels. Of a chain, in which each reads what the one before
-- wrote, a fused kernel costs about as much as one. One row per kernel.
--
-- id: pointwise-fusion
-- order: 395
-- title: Operations on elements run one by one
-- do: Fuse chains of operations on elements with a compiler. That is {compile}. Or use fused modules
--    (bias and activation, dropout and addition, normalisation and addition).
-- why: Each of them reads its inputs from memory and writes its result back. In a fused kernel the
--    values in between stay in registers.
-- needs: device
-- edit: remove device mark = fusible not in mark = zero_grad, optimizer_step, accumulate_grad, ddp_divide, ddp_copy not around-softmax chained
-- range: edit 0.5 1 a fused kernel still reads the inputs of all that it replaces
-- param: min_mean_ns ns 10000 0 1000000000 mean duration of such kernels; reported at or above this;
--    shorter ones are reported by small-kernels, which has the same limit
-- says: busy_pct = "% of the busy time"
-- says: kernel_ns = "% in all"
-- says: mean_ns several = "% each on average"
-- says: operator = "of %"
-- says: reason = "%"
-- source: PyTorch performance tuning guide (fuse pointwise operations); threshold: our default.
-- Patterns that one kernel computes; operators that are sized have inputs of one size and one caller.
WITH part(pattern, operator, is_sized, remedy) AS (
  VALUES ('softmax', 'aten::exp', 1, 'torch.softmax'), ('softmax', 'aten::sum', 1, NULL), ('softmax', 'aten::div', 1, NULL),
    ('layer normalisation', 'aten::mean', 1, 'torch.nn.functional.layer_norm'), ('layer normalisation', 'aten::var', 1, NULL),
    ('layer normalisation', 'aten::sub', 1, NULL), ('layer normalisation', 'aten::div', 1, NULL),
    ('a normalisation', 'aten::mean', 1, 'torch.nn.functional.layer_norm'), ('a normalisation', 'aten::sub', 1, NULL), ('a normalisation', 'aten::pow', 1, NULL),
    ('GELU', 'aten::pow', 1, 'torch.nn.functional.gelu(approximate="tanh")'), ('GELU', 'aten::tanh', 1, NULL),
    ('GELU', 'aten::add', 1, NULL), ('GELU', 'aten::mul', 1, NULL),
    ('GELU by erf()', 'aten::erf', 1, 'torch.nn.functional.gelu'), ('GELU by erf()', 'aten::add', 1, NULL), ('GELU by erf()', 'aten::mul', 1, NULL),
    ('a sigmoid gate', 'aten::sigmoid', 1, 'torch.nn.functional.silu or glu'), ('a sigmoid gate', 'aten::mul', 1, NULL),
    ('SwiGLU', 'aten::silu', 1, 'a fused silu_and_mul'), ('SwiGLU', 'aten::mul', 1, NULL),
    ('RMS normalisation', 'aten::pow', 1, 'torch.nn.functional.rms_norm'), ('RMS normalisation', 'aten::mean', 1, NULL), ('RMS normalisation', 'aten::mul', 1, NULL),
    ('residual and RMS normalisation', 'aten::add', 1, 'a fused_add_rms_norm'), ('residual and RMS normalisation', 'aten::pow', 1, NULL),
    ('residual and RMS normalisation', 'aten::mean', 1, NULL), ('residual and RMS normalisation', 'aten::mul', 1, NULL),
    ('a rotary embedding', 'aten::mul', 1, 'a fused rotary kernel, such as apply_rotary_emb of flash-attn,'), ('a rotary embedding', 'aten::add', 1, NULL),
    ('a rotary embedding', 'aten::neg', 0, NULL), ('a rotary embedding', 'aten::cat', 0, NULL),
    ('bias, GELU and dropout', 'aten::add', 1, 'torch.compile of the block'), ('bias, GELU and dropout', 'aten::gelu', 1, NULL),
    ('bias, GELU and dropout', 'aten::native_dropout', 1, NULL),
    ('an update of an optimizer', 'aten::mul_', 1, 'fused=True of torch.optim'), ('an update of an optimizer', 'aten::addcmul_', 1, NULL),
    ('an update of an optimizer', 'aten::addcdiv_', 1, NULL)),
call AS MATERIALIZED (
  SELECT n.id, n.parent_id, l.name AS operator, (SELECT j.value FROM json_each(a.input_dims) j LIMIT 1) AS dims
  FROM op_tree_row n
  JOIN label l ON l.id = n.label_id AND l.name IN (SELECT p.operator FROM part p)
  JOIN op_args a ON a.node_id = n.id
  WHERE n.trace_id = :trace_id AND n.kind = 'operator' AND n.device_ns > 0 AND a.input_dims IS NOT NULL),
found AS MATERIALIZED (
  SELECT c.parent_id, c.dims, p.pattern, max(p.remedy) AS remedy, count(DISTINCT p.operator) AS parts
  FROM call c
  JOIN part p ON p.operator = c.operator AND p.is_sized
  GROUP BY c.parent_id, p.pattern, c.dims
  HAVING count(DISTINCT p.operator) = (SELECT count(*) FROM part q WHERE q.pattern = p.pattern AND q.is_sized)),
whole AS MATERIALIZED (
  SELECT f.*, (SELECT count(*) FROM part q WHERE q.pattern = f.pattern) AS size
  FROM found f
  WHERE NOT EXISTS (SELECT 1 FROM part q WHERE q.pattern = f.pattern AND NOT q.is_sized
    AND NOT EXISTS (SELECT 1 FROM call c WHERE c.parent_id IS f.parent_id AND c.operator = q.operator))),
reason AS MATERIALIZED (
  SELECT d.name, w.pattern, w.dims, w.remedy, row_number() OVER (PARTITION BY d.name
    ORDER BY w.size DESC, total(k.dur_ns) DESC, w.pattern, w.dims) AS place
  FROM whole w
  JOIN call c ON c.parent_id IS w.parent_id AND c.dims = w.dims
  JOIN part p ON p.pattern = w.pattern AND p.operator = c.operator
  JOIN op_tree_row i ON i.op_id = c.id AND i.trace_id = :trace_id
  JOIN op_kernel_row k ON coalesce(k.capture_id, k.node_id) = i.id AND k.trace_id = :trace_id
  JOIN label d ON d.id = k.label_id
  GROUP BY d.name, w.pattern, w.dims),
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
  CASE WHEN r.name IS NOT NULL
    THEN 'a part of ' || r.pattern || ' of ' || r.dims || ' in several kernels, which ' || r.remedy || ' does in one'
    WHEN EXISTS (SELECT 1 FROM capability c WHERE c.trace_id = :trace_id AND c.name = 'shapes' AND c.present = 0)
    THEN 'sizes are not recorded, so it is not known whether each reads what the one before wrote' END AS reason
FROM op o
JOIN total t
LEFT JOIN kernel_operator k ON k.trace_id = :trace_id AND k.name = o.name
LEFT JOIN reason r ON r.place = 1 AND r.name = o.name
WHERE t.exclusive_ns >= :min_mean_ns * t.ops
  AND o.exclusive_ns > 0
ORDER BY kernel_ns DESC, subject
