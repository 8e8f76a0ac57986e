-- Many short all-reduces run per step, each with its own start-up. Short ones cost about the same
-- each. All-reduces before a backward pass are of activations (tensor parallelism); the backward pass has
-- as many of them again, so twice their number does not count.
--
-- id: small-gradient-buckets
-- order: 470
-- title: Gradients are reduced in many small pieces
-- do: {larger_buckets}.
-- why: Each collective costs its start-up on all ranks, however little data it carries.
-- needs: communication, steps
-- part-of: exposed-communication
-- edit: scale device engine = nic, communication not collective = all_gather, reduce_scatter, all_to_all, broadcast, send_recv with-launches by :kept_ratio
-- edit: scale own role = collective by :kept_ratio
-- param: min_per_step_ratio ratio 20 1 1000000 all-reduces per step; reported above this; our
--    default, no published source
-- param: kept_ratio ratio 0.35 0 1 part of their time that is left in few large ones; estimate: the
--    rest is start-up, tens of microseconds of the hundred or so that such a one takes
-- range: kept_ratio 0.05 0.8 from buckets that are all start-up to those of some MB over a slow network,
--    most of whose time is transfer
-- param: max_mean_ns ns 500000 1 1000000000 mean duration without waits for a late rank; all-reduces
--    below this count as small; our default, no published source: 25 MB over a 50 GB/s link
-- param: max_mean_bytes bytes 25000000 1 1000000000000 mean size, where it is recorded; all-reduces below
--    this count as small; a bucket of DistributedDataParallel has 25 MB
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
  SELECT f.kind, f.ts, f.id, f.kind = 'all_reduce' AS is_reduce
  FROM framework_op f
  WHERE f.trace_id = :trace_id
    AND f.kind IN ('all_reduce', 'backward', 'optimizer_step', 'batch', 'ddp_forward')
  UNION ALL
  SELECT 'step', s.ts, 0, 0 FROM step s WHERE s.trace_id = :trace_id),
ordered AS (
  SELECT e.kind, e.is_reduce, sum(NOT e.is_reduce) OVER (ORDER BY e.ts, e.id) AS part FROM event e),
activation AS (
  SELECT count(*) AS reduces
  FROM ordered a
  JOIN ordered b ON b.part = a.part + 1 AND b.kind = 'backward'
  WHERE a.is_reduce),
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
JOIN activation a
JOIN steady w ON w.trace_id = :trace_id
WHERE NOT EXISTS (SELECT 1 FROM run_kind k
    WHERE k.trace_id = :trace_id AND k.kind = 'inference')
  AND w.device_step_count > 0 AND r.ops > 0 AND t.transfer_ns > 0
  AND t.ops - a.reduces - a.reduces > :min_per_step_ratio * w.device_step_count
  AND t.transfer_ns < :max_mean_ns * t.ops
  AND t.bytes < :max_mean_bytes * max(t.sized, 1)
ORDER BY r.dur_ns DESC, subject
