-- Python collects garbage within the steps while no device works. One row per call.
--
-- id: garbage-collection
-- order: 285
-- title: Python collects garbage within the steps
-- do: Call gc.freeze() after start-up and gc.disable() in the loop. Call gc.collect() every few
--    hundred steps, at the same step on all ranks.
-- why: A full collection visits every object of the process and stops all of its threads. With
--    several ranks, one that collects makes all others wait.
-- needs: host, device
-- part-of: host-bound
-- edit: remove mark = garbage within-steps
-- param: min_exposed_pct pct 1 0 100 time of collections with no device at work, as a share of the
--    wall time; reported at or above this; our default, no published source: where low severity
--    begins
-- says: count several = "# collection~"
-- says: collection_ns = "% of host time"
-- says: mean_ns several = "% each on average"
-- source: Megatron-LM and TorchTitan (manual garbage collection); threshold: our default.
WITH collection AS (
  SELECT name, sum(outer_count) AS calls, sum(outer_ns) AS dur_ns,
    max(outer_exposed_ns) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'garbage' AND outer_count > 0
  GROUP BY name)
SELECT
  c.name AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  c.calls AS count,
  c.dur_ns AS collection_ns,
  c.dur_ns / c.calls AS mean_ns
FROM collection c
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(exposed_ns) FROM collection) * 100.0 >= :min_exposed_pct * w.wall_ns
  AND c.exposed_ns > 0
ORDER BY collection_ns DESC, subject
