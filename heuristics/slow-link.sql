-- The collectives or sends of one rank take longer than the same ones of other ranks, from the last arrival to the end, so
-- no late rank is the reason (table rank_link). A rank is named where all its links that can be compared are slow. Where each
-- rank of a slow link has a fast one as well, the link between them is named, on each of its ranks. One row per link and kind.
--
-- id: slow-link
-- order: 468
-- title: The links of this rank are slower than those of other ranks
-- do: Compare its links and cables with those of another rank. See whether all lanes are up (nvidia-smi nvlink -s, nvidia-smi topo
--    -m, rocm-smi --showtopo, ibstat), count errors and retries, and look for other jobs on its node.
-- why: A collective ends on all its ranks when the slowest link has moved its bytes, so one link holds up the job.
-- needs: ranks, communication
-- param: min_slower_pct pct 30 1 10000 how much longer even the fastest of its collectives takes than is usual on other links;
--    our default, no published source
-- param: min_bytes bytes 1000000 1 1000000000000 size of a collective or send; smaller ones are bound by their start-up; our
--    default
-- param: min_count count 3 1 1000000 as many of one size must be recorded; our default
-- param: min_partner_count count 2 1 1024 sends: a rank is named if its links to as many others are slow, and none is fast;
--    our default: of a single slow link no trace says which end it is
-- param: min_link_bytes bytes 100000000000 1 100000000000000 rate of the links in the data sheet from which the devices of a node
--    are joined alike, so that a slow send between two of them is a fault; PCI Express reaches 64 GB/s, NVLink and xGMI start at 138
-- param: min_extra_pct pct 1 0 100 time beyond the usual that nothing hides, as a share of the steady run; the share that
--    advice.min_gain_pct has for gains
-- says: kind = "%"
-- says: rate_bytes_per_s = "%"
-- says: usual_bytes_per_s = "(% on the usual link)"
-- says: link_count = "# links compared"
-- says: mean_bytes = "% each"
-- says: extra_ns = "% beyond the usual while nothing computes"
-- source: NCCL tests (bandwidth of a collective); thresholds: our defaults.
WITH link AS (
  SELECT l.job_id, l.trace_id, r.rank, l.kind, l.peers, l.group_size, l.node_count,
    sum(l.count) AS count, sum(l.extra_ns) AS extra_ns, total(1.0 * l.bytes * l.count) AS bytes,
    total(1.0 * l.transfer_ns * l.count) AS transfer_ns, total(1.0 * l.usual_ns * l.count) AS usual_ns,
    max(l.link_count) AS link_count,
    min(100.0 * l.least_ns - (100 + :min_slower_pct) * l.usual_ns) >= 0 AS is_slow
  FROM job_rank j
  JOIN rank_link l ON l.job_id = j.job_id
  JOIN job_rank r ON r.trace_id = l.trace_id
  WHERE j.trace_id = :trace_id AND l.bytes >= :min_bytes AND l.count >= :min_count
  GROUP BY l.trace_id, l.kind, l.peers, l.group_size),
rank AS (
  SELECT trace_id, sum(NOT is_slow) AS fast_count,
    count(DISTINCT peers) >= iif(count(group_size) = 0, :min_partner_count, 1) AS is_enough
  FROM link
  GROUP BY trace_id),
named AS (
  SELECT k.*, r.fast_count = 0 AND r.is_enough AS is_rank
  FROM link k
  JOIN rank r ON r.trace_id = k.trace_id
  WHERE k.is_slow),
fault AS (
  SELECT n.*, p.link_bytes_per_s
  FROM named n
  LEFT JOIN device_peak p ON p.trace_id = n.trace_id
  WHERE n.trace_id = :trace_id AND (n.is_rank OR NOT EXISTS (
    SELECT 1 FROM named o WHERE o.peers = n.peers AND o.kind = n.kind AND o.is_rank)
    AND (n.group_size IS NOT NULL OR n.node_count = 1 AND p.link_bytes_per_s >= :min_link_bytes)))
SELECT
  'rank ' || f.rank || ' with ' || (SELECT group_concat(o.value, ', ') FROM json_each(f.peers) o
    WHERE o.value != f.rank) AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  f.count AS count,
  f.kind AS kind,
  CAST(1000000000 * f.bytes / f.transfer_ns AS INTEGER) AS rate_bytes_per_s,
  CAST(1000000000 * f.bytes / f.usual_ns AS INTEGER) AS usual_bytes_per_s,
  f.link_count AS link_count,
  CAST(f.bytes / f.count AS INTEGER) AS mean_bytes,
  f.extra_ns AS extra_ns
FROM fault f
WHERE (SELECT 100.0 * sum(x.extra_ns) FROM fault x)
  >= :min_extra_pct * (SELECT s.wall_ns FROM steady s WHERE s.trace_id = :trace_id)
ORDER BY f.extra_ns DESC, subject, kind
