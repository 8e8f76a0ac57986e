-- DDP searches the graph for parameters without a gradient.
--
-- id: unused-parameters
-- order: 500
-- title: DDP searches for unused parameters in every step
-- do: Leave find_unused_parameters at False. If some parameters are really unused, but always the
--    same ones, set static_graph=True.
-- why: The search walks the whole graph on the host, and an extra reduction shares the result with
--    the other ranks.
-- needs: host, device
-- part-of: host-bound, device-sync
-- edit: remove mark = ddp_search with-work
-- param: min_per_step_ratio ratio 0.5 0 1000000 searches per step; reported at or above this; our
--    default, no published source: a static graph searches once
-- says: per_step_ratio not-zero = "% per step"
-- says: host_ns = "% of host time"
-- source: PyTorch performance tuning guide (find_unused_parameters); Intel Gaudi model optimization
--    (static_graph).
WITH hunt AS (
  SELECT name, sum(count) AS searches, sum(dur_ns) AS dur_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'ddp_search'
  GROUP BY name)
SELECT
  h.name AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  h.searches AS count,
  h.searches * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  h.dur_ns AS host_ns
FROM hunt h
JOIN steady w ON w.trace_id = :trace_id
WHERE h.searches >= :min_per_step_ratio * max(w.step_count, 1)
ORDER BY host_ns DESC, subject
