-- Large collectives move their bytes far slower than any link between the devices of a node, or than the
-- links of the device's data sheet. Rates are those of the links (bus rates as NCCL's tests define them), of the fastest collective of each kind, group
-- and stream: slower ones may have waited for a late rank. Small ones are bound by their start-up and do
-- not count. One row per kind, size of the group and stream.
--
-- id: slow-collectives
-- order: 465
-- title: Collectives run far below the rate of the links
-- do: Find which links the ranks use, by the log or the topology. Common causes are peer access that is
--    switched off, copies through the host's memory, a slow network interface, ranks bound to the wrong
--    cores, and few channels.
-- why: A collective takes its bytes divided by the rate. PCIe 3.0 moves 15 GB/s; direct links between
--    devices, such as NVLink and xGMI, move 50 to 900.
-- needs: communication, device
-- part-of: exposed-communication
-- edit: scale device engine = nic, communication by :kept_ratio
-- param: max_rate_bytes bytes 5000000000 1 1000000000000 rate of the links in a second; reported below
--    this: a third of PCIe 3.0 x16 (PCI-SIG: 15.75 GB/s), the slowest link between devices in use
-- param: min_link_pct pct 10 0 100 time that the links of the data sheet need for a collective, and start_ns before it, as a
--    share of what it takes; groups of up to node_count ranks are reported below this. Our default: eight nodes of one
--    device each would reach 11 % of NVLink over a network of 400 Gbit/s
-- param: node_count count 8 2 1024 ranks that the links of a node join in most servers
-- param: start_ns ns 30000 0 1000000000 time that a collective takes whatever its size, as an allowance: small
--    ones of real recordings take some tens of microseconds in one node; our default, no published source
-- param: min_bytes bytes 4000000 1 1000000000000 size of a collective; smaller ones are bound by their
--    start-up; our default: at 5 GB/s these take 0.8 ms, some ten times a start-up
-- param: kept_ratio ratio 0.5 0 1 part of the time that is left at 10 GB/s, if it is reported at 5; with
--    NVLink or xGMI less is left
-- range: kept_ratio 0.1 0.5 50 GB/s between devices, and 10 GB/s
-- says: rate_bytes_per_s = "% at best"
-- says: links_pct = "% of what the links of the data sheet do"
-- says: mean_bytes = "% each"
-- says: link_ns = "for which the links need %"
-- says: rank_count = "# rank~"
-- says: collective_ns not-gain = "% in total"
-- says: exposed_ns not-gain = "% of that while nothing computes"
-- says: lane = "on %"
-- source: NCCL tests (bus bandwidth); PCI-SIG (rates of PCI Express); thresholds: our defaults.
WITH best AS (
  SELECT c.kind, c.group_name, c.lane, c.bytes, min(c.dur) AS dur_ns
  FROM busiest_device d
  JOIN communication c ON c.trace_id = d.trace_id AND c.device = d.device
  WHERE d.trace_id = :trace_id AND c.bytes >= :min_bytes AND c.dur > 0 AND NOT c.by_lane
  GROUP BY c.kind, c.group_name, c.lane, c.bytes),
moved AS (
  SELECT c.kind, c.group_size, c.lane, sum(c.count) AS ops, sum(c.dur_ns) AS dur_ns,
    sum(c.exposed_ns) AS exposed_ns, CAST(total(1.0 * c.bytes * c.count) AS INTEGER) AS bytes,
    CAST(total(1.0 * c.link_ns * c.count) / sum(c.count) AS INTEGER) AS link_ns,
    max(1.0 * 1000000000 * b.bytes / b.dur_ns
      * coalesce(c.bus_bytes_per_s / c.algorithm_bytes_per_s, 1)) AS rate,
    max(iif(c.kind IN ('all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all'), 100.0 / b.dur_ns
      * (:start_ns + 1.0 * 1000000000 * b.bytes * c.bus_bytes_per_s / c.algorithm_bytes_per_s
        / (p.link_bytes_per_s * min(1.0, 1.0 * (c.group_size - 1) / (:node_count - 1)))), NULL)) AS links_pct
  FROM busiest_device d
  JOIN communication_total c ON c.trace_id = d.trace_id AND c.device = d.device
  JOIN best b ON b.kind = c.kind AND b.group_name IS c.group_name AND b.lane IS c.lane
    AND b.bytes = c.bytes
  LEFT JOIN device_peak p ON p.trace_id = d.trace_id
  WHERE d.trace_id = :trace_id
  GROUP BY c.kind, c.group_size, c.lane)
SELECT
  m.kind AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  m.ops AS count,
  CAST(m.rate AS INTEGER) AS rate_bytes_per_s,
  m.links_pct AS links_pct,
  m.bytes / m.ops AS mean_bytes,
  nullif(m.link_ns, 0) AS link_ns,
  m.group_size AS rank_count,
  m.dur_ns AS collective_ns,
  m.exposed_ns AS exposed_ns,
  m.lane AS lane
FROM moved m
WHERE (m.rate < :max_rate_bytes OR m.links_pct < :min_link_pct AND m.group_size <= :node_count) AND m.exposed_ns > 0
ORDER BY m.exposed_ns DESC, subject, lane
