-- title: Lines of Python
-- place: details 100
-- step: no
-- json: traces[].operators.python 60
SELECT
  self_exclusive_ns, -- ns "device"
  exclusive_ns, -- ns "?with callees"
  count, -- count "count"
  nullif(host_self_ns, 0), -- ns "host self"
  name -- name "<line of Python"
FROM python_total
WHERE trace_id = :trace
ORDER BY self_exclusive_ns DESC, device_self_ns DESC, host_self_ns DESC, name
LIMIT :limit
-- @json
SELECT name, count, host_ns, host_self_ns, device_count, device_self_ns, device_ns, self_exclusive_ns,
  exclusive_ns
FROM python_total
WHERE trace_id = :trace
ORDER BY self_exclusive_ns DESC, device_self_ns DESC, host_self_ns DESC, name
LIMIT :top
