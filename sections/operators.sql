-- title: Operators by device time
-- place: details 60
-- step: no
-- json: traces[].operators.by_name 10
SELECT
  self_exclusive_ns, -- ns "device"
  100.0 * self_exclusive_ns / nullif(total(self_exclusive_ns) OVER (), 0), -- pct "share"
  exclusive_ns, -- ns "?with callees"
  nullif(backward_exclusive_ns, 0), -- ns "?backward"
  count, -- count "?count"
  host_ns, -- ns "?host"
  host_self_ns, -- ns "?host self"
  name -- name "<operator"
FROM operator_total
WHERE trace_id = :trace
  AND EXISTS (SELECT 1 FROM operator_total WHERE trace_id = :trace AND device_self_ns > 0)
ORDER BY self_exclusive_ns DESC, device_self_ns DESC, host_self_ns DESC, name
LIMIT :limit
-- @json
SELECT name, class, count, host_ns, host_self_ns, device_count, device_self_ns, device_ns, backward_ns,
  backward_device_ns, self_exclusive_ns, exclusive_ns, backward_exclusive_ns
FROM operator_total
WHERE trace_id = :trace
ORDER BY self_exclusive_ns DESC, device_self_ns DESC, host_self_ns DESC, name
LIMIT :top
