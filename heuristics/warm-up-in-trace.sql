-- The first step is much longer than the others: start-up, compilations, caches.
--
-- id: warm-up-in-trace
-- order: 80
-- kind: quality
-- title: The first step is warm-up
-- do: Use more wait and warm-up steps in the profiler's schedule. Recording then starts when
--    steps are steady.
-- why: Numbers per step leave it out, but totals over the whole trace contain it.
-- needs: steps
-- says: step_ns = "it took %"
-- says: mean_other_step_ns = "the others % on average"
-- says: longer_ratio = "(% times as long)"
-- source: Optimum Habana (the first iterations compile graphs); a first step of at least twice the
--    median of the others counts.
SELECT
  s.name AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  1 AS count,
  0 AS serious,
  s.dur AS step_ns,
  CAST(o.mean_ns AS INTEGER) AS mean_other_step_ns,
  s.dur / o.mean_ns AS longer_ratio
FROM counted_step s
JOIN (SELECT avg(x.dur) AS mean_ns FROM counted_step x
  WHERE x.trace_id = :trace_id AND NOT x.is_warm_up) o
WHERE s.trace_id = :trace_id AND s.is_warm_up
ORDER BY s.ts, s.id
