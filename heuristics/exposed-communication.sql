-- Collectives run while nothing computes. When all ranks are in the store, the time before the last
-- rank arrived is separate: that rank causes it (rank-straggler), and overlap does not save it. The
-- last collective of a step cannot be hidden, because it reduces the result of the last backward
-- work, so there is nothing to report if a step exposes no more than that. Where
-- each collective stands alone, nothing says what it could overlap; then it is reported without a gain,
-- if that is much time. Where most operations are missing from the file, nothing says what computed
-- meanwhile. One row per collective.
--
-- id: exposed-communication
-- order: 460
-- title: Collectives are not hidden under compute
-- do: {bubbles}{hide_collectives}. Check the links between the ranks.
-- why: Every rank waits for the network while its device could compute.
-- needs: communication, device
-- edit: hide device engine = nic, communication repeated by :beside_ratio
-- param: beside_ratio ratio 0.55 0 1 part of the compute since the last update beside which such collectives
--    can run; estimate: a backward pass is two thirds of it. Of four equal buckets the first is full after a
--    quarter of that; the first one of DistributedDataParallel, of 1 MB, almost at once
-- range: beside_ratio 0.4 0.67 from few buckets, which are full late, to all of the backward pass
-- param: min_exposed_pct pct 10 0 100 collective time under no compute, without waits for a late
--    rank where they are known, as a share of the wall time; reported without a gain at or above this;
--    torch_tb_profiler also uses 10 %
-- param: min_piece_count count 4 1 1000000 collectives per step that overlap can work with; a step
--    with fewer could be split into this many, so that the last one is shorter; our default, no
--    published source: 100 MB of gradients in buckets of 25 MB
-- says: exposed_ns not-gain = "% of collectives while nothing computes"
-- says: exposed_pct = "(% of the wall time)"
-- says: late_rank_wait_ns = "% of that before the last rank arrived, which overlap cannot save"
-- says: transfer_ns not-gain = "% of transfer"
-- says: unsplit = "waits for a late rank and transfer cannot be separated: %"
-- says: collective_ns not-gain = "% in this one"
-- says: mean_ns several = "% each on average"
-- says: longest_ns several = "the longest %"
-- says: device = "on device %"
-- source: Intel Gaudi model optimization (bucket size); PyTorch performance tuning guide; PyTorch
--    DistributedDataParallel (size of the first bucket).
WITH exposed AS (
  SELECT m.device, m.value AS exposed_ns, s.wait_ns,
    max(m.value - coalesce(s.wait_ns, 0), 0) AS transfer_ns
  FROM metric m
  LEFT JOIN (SELECT c.device, sum(c.exposed_wait_ns) AS wait_ns FROM collective c
    WHERE c.trace_id = :trace_id AND c.match_id IS NOT NULL GROUP BY c.device) s
    ON s.device = m.device
  WHERE m.trace_id = :trace_id AND m.name = 'exposed_communication_ns'
    AND m.device IS NOT NULL AND m.step IS NULL
  ORDER BY m.value DESC, m.device LIMIT 1),
piece AS (
  SELECT e.transfer_ns, max(b.value - coalesce(e.wait_ns, 0), 0) AS busy_ns, (
      SELECT coalesce(sum(o.count), 0) FROM op_total o
      WHERE o.trace_id = :trace_id AND o.device = e.device
        AND o.engine IN ('communication', 'nic'))
      * 1.0 / max((SELECT count(DISTINCT t.lane) FROM track t WHERE t.trace_id = :trace_id
        AND t.device = e.device AND t.engine = 'nic'), 1) / max(w.device_step_count, 1) AS per_step
  FROM exposed e
  JOIN metric b ON b.trace_id = :trace_id AND b.name = 'communication_busy_ns'
    AND b.device = e.device AND b.step IS NULL
  JOIN steady w ON w.trace_id = :trace_id),
hideable AS MATERIALIZED (
  SELECT 1 FROM piece WHERE transfer_ns > busy_ns / max(:min_piece_count, per_step)),
waited AS (
  SELECT l.name, sum(iif(c.lane IS NULL, c.exposed_wait_ns, c.wait_ns)) AS wait_ns
  FROM collective c JOIN exposed e ON e.device = c.device
  JOIN slice_row s ON s.id = c.slice_id JOIN label l ON l.id = s.label_id
  WHERE c.trace_id = :trace_id GROUP BY l.name),
op AS (
  SELECT o.name, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns,
    max(CASE o.engine WHEN 'nic' THEN sum(o.dur_ns) ELSE sum(o.exclusive_ns) END
      - coalesce(max(w.wait_ns), 0), 0) AS part_ns,
    max(o.max_ns) AS longest_ns
  FROM exposed e
  JOIN op_total o ON o.trace_id = :trace_id AND o.device = e.device
    AND o.engine IN ('communication', 'nic')
  LEFT JOIN waited w ON w.name IS o.name
  GROUP BY o.name, o.engine)
SELECT
  coalesce(o.name, '(no name)') AS subject,
  iif(e.transfer_ns * 100.0 < :min_exposed_pct * w.wall_ns, 0, NULL) AS gain_ns,
  'inferred' AS confidence,
  o.ops AS count,
  iif(m.value > 1, NULL, e.exposed_ns) AS exposed_ns,
  iif(m.value > 1, NULL, e.exposed_ns * 100.0 / w.wall_ns) AS exposed_pct,
  e.wait_ns AS late_rank_wait_ns,
  iif(e.wait_ns IS NULL, NULL, e.transfer_ns) AS transfer_ns,
  iif(e.wait_ns IS NULL, 'not all ranks are here', NULL) AS unsplit,
  o.dur_ns AS collective_ns,
  o.dur_ns / o.ops AS mean_ns,
  o.longest_ns AS longest_ns,
  e.device AS device
FROM op o
JOIN exposed e
JOIN hideable
JOIN steady w ON w.trace_id = :trace_id
LEFT JOIN metric m ON m.trace_id = :trace_id AND m.name = 'recorded_one_of_count' AND m.step IS NULL
WHERE o.part_ns > 0
ORDER BY o.part_ns DESC, subject
