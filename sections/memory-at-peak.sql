-- title: What lives at the peak of memory
-- place: memory 20
-- step: no
-- costly: text json
-- keep: memory_at_peak
-- json: memory.at_peak 60
SELECT
  device, -- name "device"
  bytes, -- bytes "bytes"
  100.0 * bytes / nullif(total(bytes) OVER (PARTITION BY device), 0), -- pct "share"
  count, -- count "?allocations"
  iif(is_older, 'allocated before the recording', coalesce(operator, 'no slice')) -- name "<operation"
FROM memory_at_peak
WHERE trace_id = :trace AND device <> 'cpu' AND bytes > 0
ORDER BY CAST(device AS INTEGER), device, bytes DESC, operator
LIMIT :limit
-- @json
SELECT trace_id, device, operator, is_older, count, bytes
FROM (
  SELECT *, row_number() OVER (PARTITION BY trace_id, device ORDER BY bytes DESC, is_older, operator) AS place
  FROM memory_at_peak)
WHERE place <= :rows
ORDER BY trace_id, device, place
