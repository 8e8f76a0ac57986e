-- title: Modules and ranges
-- place: details 90
-- step: no
-- json: traces[].operators.modules 40
SELECT
  exclusive_ns, -- ns "device"
  nullif(backward_exclusive_ns, 0), -- ns "?backward"
  count, -- count "count"
  host_ns, -- ns "host"
  name -- name "<module or range"
FROM module_total
WHERE trace_id = :trace
ORDER BY exclusive_ns + backward_exclusive_ns DESC, device_ns + backward_device_ns DESC, host_ns DESC, kind, name
LIMIT :limit
-- @json
SELECT kind, name, count, host_ns, host_self_ns, device_count, device_self_ns, device_ns, backward_ns,
  backward_device_ns, self_exclusive_ns, exclusive_ns, backward_exclusive_ns
FROM module_total
WHERE trace_id = :trace
ORDER BY exclusive_ns + backward_exclusive_ns DESC, device_ns + backward_device_ns DESC, host_ns DESC, kind, name
LIMIT :top
