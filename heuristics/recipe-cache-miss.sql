-- After warm-up, graphs are looked up in the recipe cache and not found. A log has the order of the
-- lookups, so its first part is left out. For a metrics file, the counts between its first and last
-- dump are used. With one dump, the first miss of each recipe counts as warm-up. One row per file.
--
-- id: recipe-cache-miss
-- order: 310
-- title: Graphs miss the recipe cache after warm-up
-- do: Bucket or pad the shapes so that graphs repeat. Run every bucket once in warm-up, and
--    keep the cache from run to run with PT_HPU_RECIPE_CACHE_CONFIG.
-- why: Each miss is a graph that must be compiled before the device can run it.
-- needs: recipe_cache
-- param: min_miss_pct pct 10 0 100 share of the lookups after warm-up that miss; reported at or
--    above this; our default, no published source
-- param: warm_up_pct pct 10 0 99 first part of a log's lookups that counts as warm-up; our default,
--    no published source
-- param: min_lookup_count count 10 1 1000000000 lookups after warm-up; with fewer, the share means
--    nothing and is not reported; our default, no published source
-- says: count not-zero = "# missed"
-- says: lookup_count = "+of # lookup~"
-- says: miss_pct = "(%)"
-- says: told_by = "from the %"
-- source: Intel Gaudi documentation (recipe cache metrics, dynamic shapes, bucketing); thresholds:
--    our defaults.
WITH lookup AS (
  SELECT l.source, l.kind = 'recipe_miss' AS is_miss,
    row_number() OVER (PARTITION BY l.source ORDER BY l.line) AS place,
    count(*) OVER (PARTITION BY l.source) AS total
  FROM side_log l
  WHERE l.trace_id = :trace_id AND l.kind IN ('recipe_hit', 'recipe_miss')),
dump AS (
  SELECT m.source, m.ord,
    sum(CASE WHEN m.name = 'TotalMiss' THEN m.value END) AS misses,
    sum(CASE WHEN m.name = 'TotalHit' THEN m.value END) AS hits,
    sum(m.name = 'RecipeMiss' AND m.item IS NOT NULL) AS recipes
  FROM side_metric m
  WHERE m.trace_id = :trace_id AND m.metric = 'recipe_cache'
  GROUP BY m.source, m.ord
  HAVING misses IS NOT NULL AND hits IS NOT NULL),
span AS (
  SELECT d.source, min(d.ord) AS first, max(d.ord) AS last FROM dump d GROUP BY d.source),
counted AS (
  SELECT k.source, 'log' AS told_by, 'measured' AS confidence, sum(k.is_miss) AS misses,
    count(*) AS lookups
  FROM lookup k
  WHERE k.place * 100.0 > k.total * :warm_up_pct
  GROUP BY k.source
  UNION ALL
  SELECT s.source, 'dumps', 'measured', e.misses - b.misses,
    e.misses - b.misses + e.hits - b.hits
  FROM span s
  JOIN dump b ON b.source = s.source AND b.ord = s.first
  JOIN dump e ON e.source = s.source AND e.ord = s.last
  WHERE s.first < s.last
  UNION ALL
  SELECT s.source, 'one dump', 'inferred', e.misses - e.recipes,
    e.misses - e.recipes + e.hits
  FROM span s
  JOIN dump e ON e.source = s.source AND e.ord = s.last
  WHERE s.first = s.last AND (e.recipes > 0 OR e.misses = 0))
SELECT
  f.path AS subject,
  NULL AS gain_ns,
  c.confidence AS confidence,
  CAST(c.misses AS INTEGER) AS count,
  CAST(c.lookups AS INTEGER) AS lookup_count,
  c.misses * 100.0 / c.lookups AS miss_pct,
  c.told_by AS told_by
FROM counted c
JOIN side_file f ON f.id = c.source
WHERE c.lookups >= :min_lookup_count AND c.misses > 0
  AND c.misses * 100.0 >= :min_miss_pct * c.lookups
ORDER BY miss_pct DESC, subject
