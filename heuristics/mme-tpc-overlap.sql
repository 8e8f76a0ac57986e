-- The two engines of a Gaudi work one after the other. The gain is what the overlap that healthy
-- runs reach would hide.
--
-- id: mme-tpc-overlap
-- order: 350
-- title: Matrix and vector engines take turns instead of working together
-- do: Give the graph compiler larger graphs to slice: avoid early mark_step() calls and graph
--    breaks, and prefer shapes that can be cut into parts.
-- why: When MME and TPC work on different slices at once, the shorter of the two is free.
-- needs: mme
-- bucket: compute
-- combine: max
-- param: max_overlap_pct pct 30 0 100 overlap as share of the shorter engine time below which it is
--    told; own choice: public outputs of habana_perf_tool show 50 to 66 %
-- param: min_engine_pct pct 15 0 100 share of the busy time that each of the two engines must have;
--    own choice
-- param: reachable_pct pct 60 0 100 overlap as share of the shorter engine time that can be
--    reached; the middle of what public outputs of habana_perf_tool show
-- says: overlap_pct = "both at work in % of the shorter one's time"
-- says: mme_ns = "MME at work for %"
-- says: tpc_ns = "TPC for %"
-- says: overlap_ns = "both for %"
-- source: Intel Gaudi model optimization (MME and TPC in the profiler, mark_step); thresholds: own.
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
  CAST(min(e.mme_ns, e.tpc_ns) * :reachable_pct / 100.0 - e.overlap_ns AS INTEGER) AS gain_ns,
  'inferred' AS confidence,
  NULL AS count,
  e.overlap_ns * 100.0 / min(e.mme_ns, e.tpc_ns) AS overlap_pct,
  e.mme_ns AS mme_ns,
  e.tpc_ns AS tpc_ns,
  e.overlap_ns AS overlap_ns
FROM engine e
WHERE min(e.mme_ns, e.tpc_ns) * 100.0 >= :min_engine_pct * e.busy_ns
  AND min(e.mme_ns, e.tpc_ns) > 0
  AND e.overlap_ns * 100.0 < :max_overlap_pct * min(e.mme_ns, e.tpc_ns)
ORDER BY gain_ns DESC, subject
