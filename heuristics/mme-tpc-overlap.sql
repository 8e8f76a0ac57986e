-- The two engines of a Gaudi work one after the other.
--
-- id: mme-tpc-overlap
-- order: 350
-- title: MME and TPC take turns instead of working together
-- do: Give the graph compiler larger graphs to slice. Avoid early mark_step() calls and graph
--    breaks, and prefer shapes that can be split.
-- why: When MME and TPC work on different slices at the same time, the shorter of the two is free.
-- needs: mme
-- edit: overlap engine = mme, tpc by :waiting_ratio
-- param: max_overlap_pct pct 30 0 100 overlap as a share of the shorter engine's time; reported
--    below this; our default: public outputs of habana_perf_tool show 50 to 66 %
-- param: waiting_ratio ratio 0.35 0 1 part of the work of one engine that the other still waits for;
--    estimate: in public outputs of habana_perf_tool 50 to 66 % of the shorter engine's time overlaps.
--    Which part leads there depends on the graph, so it is the middle of the range by what replays win
-- range: waiting_ratio 0.05 0.5 half of the shorter engine's time waits where overlap is least in these
--    outputs; replays of simulated graphs needed 0.05 to 0.5
-- says: overlap_pct = "both busy in % of the shorter one's time"
-- says: mme_ns = "MME busy for %"
-- says: tpc_ns = "TPC for %"
-- says: overlap_ns = "both for %"
-- source: Intel Gaudi model optimization (MME and TPC in the profiler, mark_step); thresholds: our
--    defaults.
WITH engine AS (
  SELECT d.device, d.busy_ns,
    max(CASE WHEN m.name = 'mme_busy_ns' THEN m.value END) AS mme_ns,
    max(CASE WHEN m.name = 'tpc_busy_ns' THEN m.value END) AS tpc_ns,
    max(CASE WHEN m.name = 'mme_tpc_overlap_ns' THEN m.value END) AS overlap_ns
  FROM busiest_device d
  JOIN metric m ON m.trace_id = d.trace_id AND m.device = d.device AND m.step IS NULL
  WHERE d.trace_id = :trace_id
  GROUP BY d.device, d.busy_ns)
SELECT
  'device ' || e.device AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  NULL AS count,
  e.overlap_ns * 100.0 / min(e.mme_ns, e.tpc_ns) AS overlap_pct,
  e.mme_ns AS mme_ns,
  e.tpc_ns AS tpc_ns,
  e.overlap_ns AS overlap_ns
FROM engine e
WHERE min(e.mme_ns, e.tpc_ns) > 0
  AND e.overlap_ns * 100.0 < :max_overlap_pct * min(e.mme_ns, e.tpc_ns)
ORDER BY subject
