-- Pairs allocations with frees, so only of recordings with few of them.
--
-- title: Who owns memory at its peak
-- place: pictures 40
-- picture: bars
-- step: no
-- rows: 12
SELECT
  device, -- name "device"
  bytes, -- bytes "bytes"
  100.0 * bytes / nullif(total(bytes) OVER (PARTITION BY device), 0), -- pct "share"
  iif(is_older, 'allocated before the recording', coalesce(operator, 'no slice')) -- name "<owner"
FROM memory_at_peak
WHERE trace_id = :trace AND device <> 'cpu' AND bytes > 0
  AND (SELECT count(*) FROM memory_sample WHERE trace_id = :trace) < 100000
ORDER BY CAST(device AS INTEGER), device, bytes DESC, operator
LIMIT :limit
