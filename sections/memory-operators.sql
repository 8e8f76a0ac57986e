-- title: Memory by operation
-- place: memory 30
-- step: no
-- costly: text json
-- keep: memory_operator
-- json: memory.operators 80
SELECT
  device, -- name "device"
  CAST(total(bytes) AS INTEGER), -- bytes "allocated"
  sum(count), -- count "count"
  max(max_bytes), -- bytes "?largest"
  CAST(total(kept_bytes) AS INTEGER), -- bytes "?never freed"
  coalesce(operator, 'no slice') -- name "<operation"
FROM memory_operator
WHERE trace_id = :trace AND device <> 'cpu'
GROUP BY device, operator
ORDER BY 2 DESC, 3 DESC, 1, 6
LIMIT :limit
-- @json
SELECT trace_id, device, operator, thread_id, count, bytes, max_bytes, kept_count, kept_bytes,
  mean_lifetime_ns
FROM (
  SELECT *, row_number() OVER (PARTITION BY trace_id, device ORDER BY bytes DESC, operator, thread_id) AS place
  FROM memory_operator)
WHERE place <= :rows
ORDER BY trace_id, device, place
