-- Copies from one place in a device's memory to another, without those of operators that read a value:
-- some runtimes make such a copy on the way to the host. One row per operator, which is the outermost
-- around the copy that is more than a copy itself.
--
-- id: device-copies
-- order: 385
-- title: The device copies within its own memory
-- do: Avoid copies of what is on the device already. See the operators below: clone() and contiguous()
--    that nothing needs, results that could be written in place, gradients that are no views of their
--    buckets.
-- why: Such a copy reads and writes every byte and computes nothing, on the stream that computes.
-- needs: device
-- edit: remove device kind = memcpy direction = DtoD not in role = input_copy, output_copy with-launches
-- says: exclusive_ns not-gain = "% of device time while nothing else runs"
-- says: busy_pct = "% of the busy time"
-- says: mean_ns several = "% each on average"
-- says: copy = "in %"
-- says: module = "in module %"
-- source: PyTorch performance tuning guide (avoid unnecessary copies); Intel Gaudi model optimization
--    (gradients as views of buckets).
WITH RECURSIVE copy AS MATERIALIZED (
  SELECT k.op_id, k.operator, k.module, k.count, k.dur_ns, k.exclusive_ns, k.name, d.busy_ns
  FROM busiest_device d
  JOIN op_kernel k ON k.trace_id = d.trace_id AND k.device = d.device
  WHERE d.trace_id = :trace_id AND k.kind = 'memcpy' AND k.direction = 'DtoD'
    AND coalesce(k.operator, '') NOT IN (
      SELECT l.name FROM label l WHERE l.role IN ('input_copy', 'output_copy'))),
up AS (
  SELECT DISTINCT c.op_id AS leaf, c.op_id AS id, 0 AS depth FROM copy c WHERE c.op_id IS NOT NULL
  UNION ALL
  SELECT u.leaf, t.parent_id, u.depth + 1
  FROM up u
  JOIN op_tree t ON t.id = u.id AND t.class = 'copy'
  JOIN op_tree p ON p.id = t.parent_id AND p.kind = 'operator'),
owner AS (
  SELECT u.leaf, t.name, max(u.depth) AS depth FROM up u JOIN op_tree t ON t.id = u.id GROUP BY u.leaf)
SELECT
  coalesce(o.name, c.name) AS subject,
  0 AS gain_ns,
  'measured' AS confidence,
  sum(c.count) AS count,
  sum(c.exclusive_ns) AS exclusive_ns,
  sum(c.exclusive_ns) * 100.0 / c.busy_ns AS busy_pct,
  sum(c.dur_ns) / sum(c.count) AS mean_ns,
  nullif(min(c.operator), o.name) AS copy,
  iif(count(DISTINCT c.module) = 1, min(c.module), NULL) AS module
FROM copy c
LEFT JOIN owner o ON o.leaf = c.op_id
GROUP BY coalesce(o.name, c.name), c.busy_ns
HAVING sum(c.exclusive_ns) > 0
ORDER BY exclusive_ns DESC, subject
