-- The bridge's log shows that compiled recipes were evicted from the disk cache to make room. One
-- row per recipe.
--
-- id: recipe-cache-eviction
-- order: 300
-- title: Compiled recipes are evicted from the disk cache
-- do: Make the recipe cache larger: the size in PT_HPU_RECIPE_CACHE_CONFIG. Or make fewer
--    recipes: bucket the shapes and keep constants out of the graph.
-- why: An evicted recipe is compiled again when its graph comes back, in this run or the next,
--    while the device waits.
-- needs: side_log
-- param: min_count count 3 1 1000000 evictions in the run; reported at or above this; our default,
--    no published source: one or two only tidy an old cache
-- says: run_count = "# eviction~ in the log"
-- says: over_limit_count not-zero = "# time~ the cache was still too large afterwards"
-- says: first_line = "first in line #"
-- says: last_line several = "last in line #"
-- source: Intel Gaudi documentation (PT_HPU_RECIPE_CACHE_CONFIG); threshold: our default.
WITH evicted AS (
  SELECT coalesce(l.subject, 'unknown') AS recipe, count(*) AS times,
    min(l.line) AS first_line, max(l.line) AS last_line
  FROM side_log l
  WHERE l.trace_id = :trace_id AND l.kind = 'recipe_eviction'
  GROUP BY recipe)
SELECT
  'recipe ' || e.recipe AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  e.times AS count,
  (SELECT sum(times) FROM evicted) AS run_count,
  (SELECT count(*) FROM side_log o
    WHERE o.trace_id = :trace_id AND o.kind = 'recipe_over_limit') AS over_limit_count,
  e.first_line AS first_line,
  e.last_line AS last_line
FROM evicted e
WHERE (SELECT sum(times) FROM evicted) >= :min_count
ORDER BY count DESC, e.first_line, subject
