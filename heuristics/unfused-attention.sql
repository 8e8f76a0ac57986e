-- Attention consists of separate matrix, softmax and matrix operations. Looks at the time of
-- softmax kernels, and of dropout and mask kernels that run as often.
--
-- id: unfused-attention
-- order: 400
-- title: Attention runs as separate operations
-- do: Use {fused_attention} also saves memory.
-- why: The scores of all pairs of tokens are written to memory, read back for the softmax, and
--    written again.
-- needs: device
-- edit: remove device around-softmax with-launches
-- edit: remove host around-softmax
-- edit: scale device softmax-product with-launches by :kept_ratio
-- param: kept_ratio ratio 0.3 0 1 part of the two products that a fused kernel still takes, for it
--    neither writes nor reads the scores; estimate: writing them takes 2 to 8 times as long as computing
--    them for heads of 64 to 128 channels, by the peaks of an H100, MI300X or Gaudi 3 (half as many on an A100)
-- param: multiple_count count 8 1 4096 head sizes should be multiples of this many elements for fused kernels (PyTorch's sdp_utils)
-- range: kept_ratio 0 0.8 products of long sequences are bound by computation, those of short ones
--    by starting their kernels, which one fused kernel does once; where engines work side by side, a
--    fused kernel may run beside the products around it and take no time of its own
-- says: busy_pct = "% of the busy time"
-- says: mean_ns several = "% each on average"
-- says: engine = "runs on %"
-- says: operator = "of %"
-- says: reason = "%"
-- source: Intel Gaudi model optimization (FusedSDPA).
-- Operators of attention around softmax kernels: scaled_dot_product_attention that takes no fused kernel.
WITH RECURSIVE up AS (
  SELECT DISTINCT d.name, n.op_id AS id
  FROM op_kernel_row k
  JOIN label d ON d.id = k.label_id AND d.class = 'softmax'
  JOIN op_tree_row n ON n.id = coalesce(k.capture_id, k.node_id) AND n.op_id IS NOT NULL
  WHERE k.trace_id = :trace_id
  UNION
  SELECT u.name, t.parent_id
  FROM up u
  JOIN op_tree_row t ON t.id = u.id
  WHERE t.parent_id IS NOT NULL),
around AS MATERIALIZED (
  SELECT u.name, min(u.id) AS id
  FROM up u
  JOIN op_tree_row t ON t.id = u.id AND t.kind = 'operator'
  JOIN label l ON l.id = t.label_id AND l.class = 'attention'
  GROUP BY u.name),
math AS MATERIALIZED (
  SELECT r.name, l.name || coalesce(' ' || replace(a.input_dims, ',[]', ''), '') || ' takes no fused kernel' || CASE
      WHEN json_array_length(a.input_dims, '$[3]') > 0
        THEN ': it has a mask of ' || (a.input_dims -> '$[3]') || ', and not every kernel takes one (is_causal=True in its place,'
      || ' or the memory-efficient kernel with a mask of the type of the queries and aligned rows)'
      WHEN (a.args ->> '$."Input type"[0]') = 'double'
        THEN ': there is none for fp64'
      WHEN (a.input_dims ->> '$[0][#-1]') % :multiple_count <> 0
        THEN ': its head size, ' || (a.input_dims ->> '$[0][#-1]') || ', is not a multiple of ' || :multiple_count
      ELSE ': sdpa_kernel() with one backend says why' END AS reason
  FROM around r
  JOIN op_tree_row t ON t.id = r.id
  JOIN label l ON l.id = t.label_id
  JOIN op_args a ON a.node_id = r.id),
op AS (
  SELECT o.name, o.engine, sum(o.count) AS ops, sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns,
    coalesce(o.class = 'softmax', 0) AS is_softmax,
    coalesce(o.class IN ('dropout', 'mask'), 0) AS is_mask,
    coalesce(o.mark = 'batch_matrix', 0) AS is_batch_matrix
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id
  GROUP BY o.name, o.engine, d.busy_ns),
host AS (
  SELECT coalesce(sum(count), 0) AS batch_gemms FROM host_total
  WHERE trace_id = :trace_id AND mark = 'batch_matrix')
SELECT
  o.name AS subject,
  CASE WHEN NOT EXISTS (SELECT 1 FROM math) THEN 0 END AS gain_ns, -- the softmax may be another one
  'inferred' AS confidence,
  o.ops AS count,
  o.exclusive_ns * 100.0 / o.busy_ns AS busy_pct,
  o.exclusive_ns / o.ops AS mean_ns,
  o.engine AS engine,
  k.operator AS operator,
  m.reason AS reason
FROM op o
JOIN host h
LEFT JOIN math m ON m.name = o.name
LEFT JOIN kernel_operator k ON k.trace_id = :trace_id AND k.name = o.name
WHERE (o.is_softmax OR o.is_mask AND o.ops IN (SELECT s.ops FROM op s WHERE s.is_softmax))
  AND (h.batch_gemms > 0 OR EXISTS (SELECT 1 FROM op b WHERE b.is_batch_matrix))
  AND o.exclusive_ns > 0
ORDER BY o.exclusive_ns DESC, subject, engine
