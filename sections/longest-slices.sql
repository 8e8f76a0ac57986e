-- On the first screen of a trace without device work.
--
-- place: screen 10
-- step: no
SELECT
  total(dur_ns), -- ns "total"
  sum(count), -- count "?count"
  name -- name "<Longest slices"
FROM host_total
WHERE trace_id = :trace
GROUP BY name
ORDER BY 1 DESC, name
LIMIT min(:limit, 5)
