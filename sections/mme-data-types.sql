-- title: MME time by data type
-- place: details 110
-- step: no
SELECT
  total(exclusive_ns), -- ns "exclusive"
  100.0 * total(exclusive_ns) / nullif(total(total(exclusive_ns)) OVER (), 0), -- pct "share"
  sum(count), -- count "?count"
  coalesce(data_type, 'not said') -- name "<type"
FROM op_total
WHERE trace_id = :trace AND engine = 'mme'
GROUP BY data_type
ORDER BY 1 DESC, 4
LIMIT :limit
