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
-- says: count several = "# collection~"
-- says: collection_ns = "% of host time"
-- says: mean_ns several = "% each on average"
-- source: Megatron-LM and TorchTitan (manual garbage collection).
WITH collection AS (
  SELECT name, sum(outer_count) AS calls, sum(outer_ns) AS dur_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'garbage' AND outer_count > 0
  GROUP BY name
  HAVING max(outer_exposed_ns) > 0)
SELECT
  c.name AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  c.calls AS count,
  c.dur_ns AS collection_ns,
  c.dur_ns / c.calls AS mean_ns
FROM collection c
ORDER BY collection_ns DESC, subject
