-- Many short all-reduces run per step, each with its own start-up. Short ones cost about the same
-- each. All-reduces of a forward pass are of activations (tensor parallelism). The backward pass has as many
-- of them again, or twice as many, so passes_ratio times their number does not count: on their own stream,
-- where each group of ranks has one.
--
-- id: small-gradient-buckets
-- order: 470
-- title: Gradients are reduced in many small pieces
-- do: {larger_buckets}.
-- why: Each collective costs its start-up on all ranks, however little data it carries.
-- needs: communication, steps
-- part-of: exposed-communication
-- edit: merge device engine = nic, communication not collective = all_gather, reduce_scatter, all_to_all, broadcast, send_recv by :start_ns
-- edit: scale own role = collective, launch in role = collective by :kept_ratio
-- param: start_ns ns 50000 0 1000000 what each of them takes to start, of its time; the middle of the
--    range by ratio, where no optimizer kernels show how much of their time moves data
-- range: start_ns 10000 250000 NCCL's model of its own latency (src/graph/tuning.cc), by ranks and links:
--    10 us for 8 ranks over NVLink in its quickest protocol, 56 and 90 us in the one for large sizes over
--    NVLink and PCI Express, 250 us for 32 ranks on 4 nodes
-- param: kept_ratio ratio 0.13 0 1 part of the host's time for them that is left: the host calls each
--    of the large ones, too, which are at least a twentieth as many, as of their time at least a twentieth
--    stays; the middle of the range by ratio
-- range: kept_ratio 0.05 0.35 a twentieth to a third as many collectives
-- param: min_per_step_ratio ratio 20 1 1000000 all-reduces per step; reported above this; our
--    default, no published source
-- param: times_ratio ratio 6 1 1000 where all sizes are recorded, fewer than that are reported, too, above so
--    many times the number of buckets of max_mean_bytes; our default, no published source
-- param: min_step_bytes bytes 1000000 0 1000000000000 bytes of all-reduces per step from which times_ratio counts: less are
--    losses and norms, no gradients; our default, the first bucket of DistributedDataParallel has 1 MiB
-- param: max_mean_ns ns 500000 1 1000000000 mean duration without waits for a late rank; all-reduces
--    below this count as small; our default, no published source: 25 MB over a 50 GB/s link
-- param: max_mean_bytes bytes 25000000 1 1000000000000 mean size, where it is recorded; all-reduces below
--    this count as small; a bucket of DistributedDataParallel has 25 MB
-- param: passes_ratio ratio 3 1 10 all-reduces of activations, of those of the forward pass: with as many in
--    the backward pass, and as many again where it computes the forward pass anew
-- says: per_step_ratio not-zero = "% per step"
-- says: mean_ns several = "% each on average"
-- says: mean_bytes = "% each"
-- says: collective_ns not-gain = "% in total"
-- says: exposed_ns not-gain = "% of communication while nothing computes"
-- source: Intel Gaudi model optimization (gradient bucket size); other thresholds: our defaults.
WITH lane AS (
  SELECT t.engine, count(DISTINCT t.lane) AS lanes
  FROM busiest_device d
  JOIN track t ON t.trace_id = d.trace_id AND t.device = d.device
  WHERE d.trace_id = :trace_id AND t.engine = 'nic'
    AND d.device IN (SELECT o.device FROM op_total o
      WHERE o.trace_id = :trace_id AND o.engine = 'nic')
  GROUP BY t.engine),
reduce AS (
  SELECT c.name, count(*) / max(coalesce(l.lanes, 1), 1) AS ops,
    CAST(total(c.dur) AS INTEGER) / max(coalesce(l.lanes, 1), 1) AS dur_ns,
    CAST(total(c.dur - coalesce(w.wait_ns, 0)) AS INTEGER) / max(coalesce(l.lanes, 1), 1)
      AS transfer_ns,
    CAST(total(c.bytes) AS INTEGER) AS bytes, count(c.bytes) AS sized
  FROM busiest_device d
  JOIN communication c ON c.trace_id = d.trace_id AND c.device = d.device
  LEFT JOIN collective w ON w.slice_id = c.slice_id
  LEFT JOIN lane l ON c.by_lane
  WHERE d.trace_id = :trace_id AND c.kind = 'all_reduce'
  GROUP BY c.name),
event AS (
  SELECT f.kind, f.ts, f.id, f.launch_slice_id, f.kind = 'all_reduce' AS is_reduce
  FROM framework_op f
  WHERE f.trace_id = :trace_id
    AND f.kind IN ('all_reduce', 'backward', 'optimizer_step', 'batch', 'ddp_forward')
  UNION ALL
  SELECT 'step', s.ts, 0, NULL, 0 FROM counted_step s WHERE s.trace_id = :trace_id),
ordered AS MATERIALIZED (
  SELECT e.*, sum(NOT e.is_reduce) OVER (ORDER BY e.ts, e.id) AS part FROM event e),
forward AS MATERIALIZED (
  SELECT a.launch_slice_id
  FROM ordered a
  LEFT JOIN ordered p ON p.part = a.part AND NOT p.is_reduce
  LEFT JOIN ordered b ON b.part = a.part + 1 AND NOT b.is_reduce
  WHERE a.is_reduce AND (p.kind IN ('step', 'batch', 'ddp_forward') OR b.kind = 'backward')),
launched AS (
  SELECT l.lane, l.launch_slice_id
  FROM busiest_device d
  JOIN communication_launch l ON l.trace_id = d.trace_id AND l.device = d.device
  WHERE d.trace_id = :trace_id AND l.kind = 'all_reduce'),
stream AS (
  SELECT count(*) AS ops, sum(l.launch_slice_id IN (SELECT f.launch_slice_id FROM forward f)) AS reduces
  FROM launched l
  GROUP BY l.lane),
gradient AS (
  SELECT CASE WHEN (SELECT total(s.reduces) FROM stream s) > 0
      THEN (SELECT sum(max(s.ops - :passes_ratio * s.reduces, 0)) FROM stream s)
      ELSE (SELECT sum(r.ops) FROM reduce r) - :passes_ratio * (SELECT count(*) FROM forward) END AS ops),
total AS (
  SELECT sum(ops) AS ops, total(transfer_ns) AS transfer_ns, total(bytes) AS bytes,
    sum(sized) AS sized FROM reduce),
exposed AS (
  SELECT max(m.value) AS exposed_ns FROM metric m
  WHERE m.trace_id = :trace_id AND m.name = 'exposed_communication_ns' AND m.step IS NULL)
SELECT
  r.name AS subject,
  NULL AS gain_ns,
  'guessed' AS confidence,
  r.ops AS count,
  t.ops * 1.0 / w.device_step_count AS per_step_ratio,
  r.dur_ns / r.ops AS mean_ns,
  CASE WHEN r.sized > 0 THEN r.bytes / r.sized END AS mean_bytes,
  r.dur_ns AS collective_ns,
  e.exposed_ns AS exposed_ns
FROM reduce r
JOIN total t
JOIN exposed e
JOIN gradient g
JOIN steady w ON w.trace_id = :trace_id
WHERE NOT EXISTS (SELECT 1 FROM run_kind k
    WHERE k.trace_id = :trace_id AND k.kind = 'inference')
  AND w.device_step_count > 0 AND r.ops > 0 AND t.transfer_ns > 0
  AND g.ops > w.device_step_count * min(:min_per_step_ratio, CASE WHEN t.sized = t.ops
    AND t.bytes >= :min_step_bytes * w.device_step_count THEN
    :times_ratio * (1 + t.bytes * 1.0 / :max_mean_bytes / w.device_step_count)
    ELSE :min_per_step_ratio END)
  AND t.transfer_ns < :max_mean_ns * t.ops
  AND t.bytes < :max_mean_bytes * max(t.sized, 1)
ORDER BY r.dur_ns DESC, subject
