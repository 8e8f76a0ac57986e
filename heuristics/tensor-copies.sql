-- Kernels that only copy: a tensor into another type or order of dimensions, within operators that make
-- such a copy, not those that write into a tensor that is there. One row per operator and sizes.
--
-- id: tensor-copies
-- order: 386
-- title: Kernels copy tensors into another type or order
-- do: Keep one type and one order of dimensions from operator to operator.
--    Convert weights once, not in every step; call contiguous() once, before many reads; let the
--    operator before write in the order that the next one wants.
-- why: Such a copy reads and writes every element and computes nothing, on the stream that computes.
-- needs: device, launches
-- edit: remove device class = copy kind = kernel in name = aten::to with-launches
-- edit: remove device class = copy kind = kernel in name = aten::contiguous with-launches
-- edit: remove device class = copy kind = kernel in name = aten::clone with-launches
-- param: vocabulary_count count 16384 1 1000000000 elements of a row from which a tensor is taken for logits over a vocabulary; our default
-- range: edit 0.5 1 an operator that reads another type or order itself may take longer than before
-- param: min_busy_pct pct 5 0 100 such copies as a share of the busy time; reported at or above this, for
--    some are in every model; our default, no published source
-- says: reason = "%"
-- says: exclusive_ns not-gain = "% of device time while nothing else runs"
-- says: busy_pct = "% of the busy time"
-- says: mean_ns several = "% each on average"
-- says: module = "in module %"
-- source: PyTorch performance tuning guide (avoid unnecessary copies; mixed precision).
WITH RECURSIVE copy AS MATERIALIZED (
  SELECT k.op_id, k.module, k.count, k.dur_ns, k.exclusive_ns, d.busy_ns
  FROM busiest_device d
  JOIN op_kernel k ON k.trace_id = d.trace_id AND k.device = d.device
  WHERE d.trace_id = :trace_id AND k.kind = 'kernel' AND k.class = 'copy' AND k.op_id IS NOT NULL),
up AS (
  SELECT DISTINCT c.op_id AS leaf, c.op_id AS id, 0 AS height FROM copy c
  UNION ALL
  SELECT u.leaf, t.parent_id, u.height + 1
  FROM up u
  JOIN op_tree t ON t.id = u.id AND t.class = 'copy'
  JOIN op_tree p ON p.id = t.parent_id AND p.kind = 'operator' AND p.class = 'copy'),
-- The outermost copy; a write into a tensor that is there has none around it.
owner AS (
  SELECT u.leaf, t.name, max(u.height) AS height FROM up u JOIN op_tree t ON t.id = u.id WHERE u.height > 0 GROUP BY u.leaf),
owned AS MATERIALIZED (
  SELECT c.*, o.name AS owner FROM copy c JOIN owner o ON o.leaf = c.op_id),
-- Rows of a loss that are as long as a vocabulary.
vocabulary AS MATERIALIZED (
  SELECT DISTINCT w.inner_count FROM op_work w
  JOIN op_tree t ON t.id = w.node_id AND t.name = 'aten::_log_softmax'
  WHERE w.trace_id = :trace_id AND w.inner_count >= :vocabulary_count),
named AS (
  SELECT c.*, c.owner || coalesce(' ' || (a.input_dims -> '$[0]'), '') AS subject, CASE
      WHEN (a.args ->> '$."Input type"[0]') <> (a.args ->> '$."Input type"[1]')
        THEN 'from ' || (a.args ->> '$."Input type"[1]') || ' to ' || (a.args ->> '$."Input type"[0]')
      || iif((a.args ->> '$."Input type"[0]') = 'float' AND (a.input_dims ->> '$[0][#-1]') IN (SELECT v.inner_count FROM vocabulary v),
        ', as of logits over a vocabulary: a fused cross entropy takes them as they are', '')
      WHEN EXISTS (SELECT 1 FROM json_each(a.args, '$."Input Strides"[1]') j
          WHERE j.value = 0 AND (a.input_dims ->> ('$[1][' || j.key || ']')) > 1)
        THEN 'of repeated elements, as expand() makes them: most operators take them without a copy'
      WHEN w.layout = 'mixed' THEN 'into another order of dimensions, as contiguous() of a transposed tensor'
      WHEN w.layout = 'gaps' THEN 'of a part of a larger tensor' END AS reason
  FROM owned c
  LEFT JOIN op_args a ON a.node_id = c.op_id
  LEFT JOIN op_work w ON w.node_id = c.op_id
  WHERE (SELECT total(m.exclusive_ns) FROM owned m) * 100 >= :min_busy_pct * c.busy_ns)
SELECT
  n.subject AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  sum(n.count) AS count,
  n.reason AS reason,
  sum(n.exclusive_ns) AS exclusive_ns,
  sum(n.exclusive_ns) * 100.0 / n.busy_ns AS busy_pct,
  sum(n.dur_ns) / sum(n.count) AS mean_ns,
  iif(count(DISTINCT n.module) = 1, min(n.module), NULL) AS module
FROM named n
GROUP BY n.subject, n.reason, n.busy_ns
HAVING sum(n.exclusive_ns) > 0
ORDER BY exclusive_ns DESC, subject, reason
