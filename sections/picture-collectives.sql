-- title: Collectives: size and bandwidth
-- place: pictures 50
-- picture: bandwidth
-- step: no
-- rows: 100
SELECT
  dur_ns, -- ns "time"
  bytes, -- bytes "bytes"
  printf('%.4g', coalesce(bus_bytes_per_s, algorithm_bytes_per_s) / 1e9), -- name "GB/s"
  count, -- count "count"
  group_size, -- count "ranks"
  coalesce(lane, iif(device IS NULL, 'host', device)), -- name "<where"
  kind -- name "<collective"
FROM communication_total
WHERE trace_id = :trace AND bytes > 0 AND coalesce(bus_bytes_per_s, algorithm_bytes_per_s) > 0
ORDER BY dur_ns DESC, kind, group_name, bytes, device, lane
LIMIT :limit
