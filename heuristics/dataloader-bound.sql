-- The main thread waits in the data loader while no device works. One row per loader call with
-- idle time during or after it, or exposed copies to the device: the host has lost its lead. More workers
-- take nothing off what it costs to take a batch that is ready: calls for one are nearly as long as each other.
--
-- id: dataloader-bound
-- order: 120
-- title: The device waits for the data loader
-- do: Load in more worker processes (num_workers) and let them prefetch. If they are too slow
--    then, raise prefetch_factor, and make decoding and augmentation cheaper{media_loader}.
-- why: The next batch is prepared while the device has nothing to do. Every step is longer by the
--    part of loading that no device work hides.
-- needs: host, device
-- edit: remove role = dataloader not in mark = loader_main
-- edit: scale host in mark = loader_main by :kept_ratio
-- param: min_share_pct pct 5 0 100 time in calls for batches of workers, as a share of the wall time;
--    below this the workers keep up, and a call costs what it costs to take a batch out of the queue;
--    torch_tb_profiler also uses 5 %
-- param: min_call_ns ns 500000 0 1000000000 mean time of a call for a batch of workers; below this the
--    workers keep up, too, as steps may be short; our default, no published source: a batch that is
--    ready takes 0.1 ms in a recorded ResNet-50 run
-- param: even_ratio ratio 0.25 0 1 mean difference between calls for batches of workers that follow each
--    other, as a part of their mean time; at or below this they are what a ready batch costs, as in the
--    replay; our default, no published source
-- param: price_pct pct 20 0 100 time in such calls, as a share of the wall time, from which they are waits all
--    the same, as in the replay; our default, no published source
-- param: price_ns ns 5000000 0 1000000000 mean time of such calls above which they are waits all the same, as in
--    the replay; our default, no published source: 0.1 and 1.4 ms in recorded ResNet-50 runs
-- param: kept_ratio ratio 0.3 0 1 part of a loader in the main process that is left when workers
--    load, for they compete for the cores and hand batches over; estimate: in a recorded pair of
--    ResNet-50 runs on a V100, four workers took 51 to 72 % of it away
-- range: kept_ratio 0 0.5 from workers with cores of their own, whose batches cost nothing to take, to
--    the lower end of that pair
-- says: loaded_by = "loaded by %"
-- says: exposed_ns idle = "% with no device at work"
-- says: exposed_pct = "(% of the wall time)"
-- says: loader_ns not-gain = "% of loading in all"
-- says: mean_call_ns several = "% each on average"
-- says: longest_call_ns several = "the longest %"
-- says: exposed_per_step_ns not-gain = "% a step with no device at work"
-- says: step_count = ""
-- source: PyTorch performance tuning guide (asynchronous data loading); Optimum Habana (more loader
--    workers); threshold: torch_tb_profiler.
WITH part AS (
  SELECT e.id, e.name, e.dur, e.exposed_ns, e.step,
    e.exposed_ns + e.transfer_ns AS cost_ns
  FROM steady_host_event e
  WHERE e.trace_id = :trace_id AND e.role = 'dataloader'
  UNION ALL
  SELECT b.id, NULL, NULL, NULL, NULL, b.next_idle_ns + b.next_transfer_ns
  FROM host_block b
  WHERE b.trace_id = :trace_id AND b.kind = 'dataloader'),
call AS (
  SELECT id, max(name) AS name, max(dur) AS dur, max(exposed_ns) AS exposed_ns,
    max(step) AS step, min(max(dur), sum(cost_ns)) AS cost_ns
  FROM part GROUP BY id),
even AS (
  SELECT count(differ_ns) > 1 AND avg(differ_ns) <= :even_ratio * avg(dur) AND min(dur) >= :min_call_ns AS are_even
  FROM (SELECT dur, abs(dur - lag(dur) OVER (PARTITION BY name ORDER BY id)) AS differ_ns FROM call)),
loader AS (
  SELECT name, count(*) AS calls, sum(dur) AS dur_ns, max(dur) AS longest_ns,
    sum(exposed_ns) AS exposed_ns, sum(cost_ns) AS cost_ns, count(DISTINCT step) AS steps,
    (SELECT max(h.mark) FROM host_total h WHERE h.trace_id = :trace_id AND h.name IS call.name)
      AS mark
  FROM call
  GROUP BY name),
total AS (
  SELECT sum(dur_ns) AS dur_ns, sum(calls) AS calls, coalesce(max(mark = 'loader_main'), 0) AS in_main
  FROM loader)
SELECT
  l.name AS subject,
  NULL AS gain_ns,
  CASE WHEN l.mark = 'loader_main' THEN 'inferred' ELSE 'measured' END AS confidence,
  l.calls AS count,
  CASE WHEN l.mark = 'loader_main' THEN 'main process (num_workers=0)'
    WHEN l.mark = 'loader_workers' THEN 'worker processes'
    ELSE 'not known from the name' END AS loaded_by,
  l.exposed_ns AS exposed_ns,
  l.exposed_ns * 100.0 / w.wall_ns AS exposed_pct,
  l.dur_ns AS loader_ns,
  l.dur_ns / l.calls AS mean_call_ns,
  l.longest_ns AS longest_call_ns,
  CASE WHEN l.steps > 0 THEN l.exposed_ns / l.steps END AS exposed_per_step_ns,
  l.steps AS step_count
FROM loader l
JOIN steady w ON w.trace_id = :trace_id
JOIN total t
JOIN even v
WHERE (t.in_main OR (t.dur_ns * 100.0 >= :min_share_pct * w.wall_ns
    AND t.dur_ns >= :min_call_ns * t.calls
    AND NOT (v.are_even AND t.dur_ns * 100.0 < :price_pct * w.wall_ns AND t.dur_ns <= :price_ns * t.calls)))
  AND l.cost_ns > 0
ORDER BY l.cost_ns DESC, l.name
