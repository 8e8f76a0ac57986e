-- Sizes are read only for the rows that are wanted.
--
-- title: Operators by sizes of inputs
-- place: details 70
-- step: no
-- json: traces[].operators.by_shape 20
SELECT
  self_exclusive_ns, -- ns "device"
  count, -- count "count"
  self_exclusive_ns / nullif(count, 0), -- ns "?mean"
  name, -- name "<operator"
  input_dims -- name "<inputs"
FROM operator_shape
WHERE trace_id = :trace
  AND node_id IN (SELECT node_id FROM operator_shape WHERE trace_id = :trace
    ORDER BY self_exclusive_ns DESC, device_self_ns DESC, host_self_ns DESC, node_id LIMIT :limit)
  AND EXISTS (SELECT 1 FROM operator_shape
    WHERE trace_id = :trace AND shape IS NOT NULL AND device_self_ns > 0)
ORDER BY self_exclusive_ns DESC, device_self_ns DESC, host_self_ns DESC, node_id
LIMIT :limit
-- @json
SELECT name, class, input_dims, input_types, slice_id,
  count, host_ns, host_self_ns, device_count, device_self_ns, device_ns, backward_ns,
  backward_device_ns, self_exclusive_ns, exclusive_ns, backward_exclusive_ns
FROM operator_shape
WHERE trace_id = :trace
  AND node_id IN (SELECT node_id FROM operator_shape WHERE trace_id = :trace
    ORDER BY self_exclusive_ns DESC, device_self_ns DESC, host_self_ns DESC, node_id LIMIT :top)
ORDER BY self_exclusive_ns DESC, device_self_ns DESC, host_self_ns DESC, node_id
LIMIT :top
