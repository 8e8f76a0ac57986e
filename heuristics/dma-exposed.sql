-- Copies run while no engine computes. Copies from pageable memory belong to input-copy-blocking, copies
-- within the memory of a device to device-copies, changes of layout to layout-transposes. Copies between
-- host and device that follow a host wait belong to the finding about that wait, those of fallbacks
-- and checkpoints to theirs, and copies of the weights at the start to runtime-setup. One row per copy operation.
--
-- id: dma-exposed
-- order: 380
-- title: Copies keep the device from computing
-- do: Copy ahead of use: prefetch the next batch on another stream. Avoid what causes copies:
--    layout changes, views that must be made contiguous, concatenations.
-- why: Copy engines can work alongside the compute engines. Here they do not.
-- needs: device
-- edit: remove device engine = dma, copy not kind = memset not class = transpose not direction = DtoD not in role = cpu_fallback not in mark = save loaded
-- range: edit 0.7 1.4 simulated runs: some copies stay, and what waited for them starts sooner
-- param: min_copy_pct pct 10 0 100 copy time of a Gaudi under no other work, as a share of the busy
--    time; reported at or above this, because its graphs always need some: 9 % in public outputs of
--    habana_perf_tool; our default
-- says: busy_pct = "% of the busy time"
-- says: copy_ns not-gain = "% of copies in all"
-- says: mean_ns several = "% each on average"
-- says: all_exposed_ns not-gain = "% of copies while nothing else runs"
-- says: after_waits_ns not-zero = "% of that follows host waits"
-- source: Intel Gaudi model optimization (views and layout); habana_perf_tool (DMA outside of MME
--    and TPC); threshold: our default.
WITH copy AS (
  SELECT o.name, o.engine, d.busy_ns, sum(o.exclusive_ns) AS exclusive_ns,
    sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.engine IN ('dma', 'copy')
    AND coalesce(o.class, '') NOT IN ('memset', 'transpose')
    AND coalesce(o.mark, '') <> 'pageable'
    AND NOT EXISTS (SELECT 1 FROM label l WHERE l.name = o.name AND l.category IS o.category
      AND l.direction = 'DtoD')
  GROUP BY o.name, o.engine, d.busy_ns),
held AS (
  SELECT coalesce(sum(b.transfer_ns + b.after_transfer_ns), 0) AS held_ns FROM host_block b
  WHERE b.trace_id = :trace_id AND b.kind <> 'dataloader'),
total AS (
  SELECT max(sum(exclusive_ns) - h.held_ns, 0) AS own_ns, sum(exclusive_ns) AS exclusive_ns
  FROM copy JOIN held h)
SELECT
  coalesce(c.name, '(no name)') AS subject,
  0 AS gain_ns,
  'measured' AS confidence,
  c.ops AS count,
  c.exclusive_ns * 100.0 / c.busy_ns AS busy_pct,
  c.dur_ns AS copy_ns,
  c.dur_ns / c.ops AS mean_ns,
  t.exclusive_ns AS all_exposed_ns,
  t.exclusive_ns - t.own_ns AS after_waits_ns
FROM copy c
JOIN total t
WHERE t.own_ns > 0 AND c.exclusive_ns > 0
  AND (c.engine = 'copy' OR t.own_ns * 100.0 >= :min_copy_pct * c.busy_ns)
ORDER BY c.exclusive_ns DESC, subject
