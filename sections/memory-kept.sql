-- title: Memory that every step leaves behind
-- place: memory 40
-- step: no
-- costly: text json
-- keep: memory_kept
-- json: memory.kept 90
SELECT
  device, -- name "device"
  bytes, -- bytes "never freed"
  count, -- count "count"
  step_count || ' of ' || looked_at_count, -- name "<in steps"
  coalesce(operator, 'no slice') -- name "<operation"
FROM memory_kept
WHERE trace_id = :trace AND is_leak AND device <> 'cpu'
ORDER BY bytes DESC, device, operator
LIMIT :limit
-- @json
SELECT trace_id, device, operator, count, bytes, step_count, looked_at_count, is_leak
FROM (
  SELECT *, row_number() OVER (PARTITION BY trace_id, device ORDER BY bytes DESC, operator) AS place
  FROM memory_kept)
WHERE place <= :rows
ORDER BY trace_id, device, place
