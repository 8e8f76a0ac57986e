-- Sorted by exposed time, so that what costs most comes first. Behind the rate of the links it says what that is of the rate of the
-- data sheet.
--
-- title: Communication
-- place: details 140
-- step: no
-- json: communication.totals 100
SELECT
  exposed_ns, -- ns "exposed"
  dur_ns, -- ns "time"
  wait_ns, -- ns "?waiting"
  count, -- count "count"
  bytes, -- bytes "?-bytes"
  iif(algorithm_bytes_per_s IS NULL, NULL, printf('%.1f', algorithm_bytes_per_s / 1e9)), -- name "?GB/s"
  iif(bus_bytes_per_s IS NULL, NULL, printf('%.1f', bus_bytes_per_s / 1e9)
    || iif(link_ns > 0 AND dur_ns > coalesce(wait_ns, 0),
      printf(' (%.1f %% of the links)', 100.0 * link_ns * count / (dur_ns - coalesce(wait_ns, 0))), '')), -- name "?bus GB/s"
  coalesce(lane, iif(device IS NULL, 'host', device)), -- name "?<where"
  kind, -- name "<collective"
  group_size -- count "?-ranks"
FROM communication_total
WHERE trace_id = :trace
ORDER BY exposed_ns DESC, dur_ns DESC, kind, group_name, bytes, device, lane
LIMIT :limit
-- @json
SELECT trace_id, device, lane, kind, group_name, group_size, bytes, count, dur_ns, exposed_ns, wait_ns,
  algorithm_bytes_per_s, bus_bytes_per_s
FROM (
  SELECT *, row_number() OVER (PARTITION BY trace_id
    ORDER BY exposed_ns DESC, dur_ns DESC, kind, group_name, bytes, device, lane) AS place
  FROM communication_total)
WHERE place <= :rows
ORDER BY trace_id, place
