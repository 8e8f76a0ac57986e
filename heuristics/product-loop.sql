-- Short matrix products of the same sizes, called again and again in a step. That more of them follow each
-- other than queries, keys and values is for the edit to see. One row per operator and sizes.
--
-- id: product-loop
-- order: 369
-- title: A loop computes small matrix products one by one
-- do: Stack the matrices and multiply them at once with torch.bmm.
--    torch.func.vmap over the loop and einsum do that, too.
-- why: Each product fills a part of the device and waits for a launch of its own.
-- needs: device, launches, shapes
-- edit: fuse device class = matrix shorter = 20000 looped with-launches by :kept_ratio
-- param: max_kernel_ns ns 20000 1 1000000000 mean duration of a small product is below this, as in the edit; our
--    default, no published source
-- param: min_count count 16 2 1000000 products of the same sizes in a step; reported at or above this; our default,
--    no published source
-- param: kept_ratio ratio 0.1 0 1 part of the time of these products, beyond their start, that one product of all
--    takes; our default, for each leaves most of the cores empty
-- range: kept_ratio 0 0.5 one block of more than a hundred cores, up to a half of them
-- says: per_step_ratio not-zero = "% per step"
-- says: mean_ns several = "% each on average"
-- says: kernel_ns = "% in all"
-- says: host_ns = "% of host time"
-- says: kernel = "kernel %"
-- source: PyTorch performance tuning guide; torch.bmm and torch.func.vmap in PyTorch's documentation.
WITH product AS (
  SELECT l.name || coalesce(' ' || replace(a.input_dims, ',[]', ''), '') AS subject, n.shape, n.label_id,
    sum(n.count) AS calls, sum(n.device_ns) AS device_ns, sum(n.host_ns) AS host_ns, min(n.id) AS id
  FROM op_tree_row n
  JOIN label l ON l.id = n.label_id AND l.class = 'matrix'
  JOIN op_args a ON a.node_id = n.id
  WHERE n.trace_id = :trace_id AND n.kind = 'operator' AND n.device_self_ns > 0 AND a.input_dims IS NOT NULL
  GROUP BY n.label_id, n.shape)
SELECT
  p.subject AS subject,
  0 AS gain_ns,
  'inferred' AS confidence,
  p.calls AS count,
  p.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  p.device_ns / p.calls AS mean_ns,
  p.device_ns AS kernel_ns,
  p.host_ns AS host_ns,
  (SELECT d.name FROM op_kernel_row k JOIN op_tree_row i ON i.id = coalesce(k.capture_id, k.node_id) AND i.op_id = p.id
    JOIN label d ON d.id = k.label_id ORDER BY k.dur_ns DESC, d.name LIMIT 1) AS kernel
FROM product p
JOIN steady w ON w.trace_id = :trace_id
WHERE p.calls >= :min_count * max(w.step_count, 1) AND p.device_ns < :max_kernel_ns * p.calls
ORDER BY kernel_ns DESC, subject
