-- title: Recipes by exclusive time
-- place: details 120
-- step: no
-- json: traces[].devices[].recipes 30
SELECT
  total(exclusive_ns), -- ns "exclusive"
  100.0 * total(exclusive_ns) / nullif(total(total(exclusive_ns)) OVER (), 0), -- pct "share"
  sum(op_count), -- count "?operations"
  coalesce(recipe, 'none') -- name "<recipe"
FROM recipe_total
WHERE trace_id = :trace
GROUP BY recipe
ORDER BY 1 DESC, 3 DESC, 4
LIMIT :limit
-- @json
SELECT recipe, op_count, exclusive_ns
FROM recipe_total
WHERE trace_id = :trace AND device = :device
ORDER BY exclusive_ns DESC, op_count DESC, recipe
LIMIT :top
