-- The allocator reserves more device memory again and again after the first step, or the runtime
-- allocates and frees memory there, or a metrics file counts defragmentations: sizes change, and the
-- free blocks do not fit. One row per device, per call and per file. Calls count by what they cost, as
-- an allocator that grows a little costs nothing.
--
-- id: memory-defragmentation
-- order: 550
-- title: The allocator still reserves or moves memory later on
-- do: Run one step with the longest input first, and bucket inputs by length. The largest
--    buffers then exist from the start. Give the allocator room{allocator}, and remove empty_cache()
--    from the loop.
-- why: The device must be idle each time the allocator asks it for memory, or returns blocks to
--    merge them.
-- needs: memory_growth
-- edit: remove mark = device_memory steady within-steps
-- always-if: defragmentation_ns
-- param: min_growth_count count 3 1 1000000 times that reserved memory grows after the first
--    complete step; reported at or above this; our default, no published source
-- param: min_defragmentation_count count 1 1 1000000 defragmentations in a metrics file; reported
--    at or above this; the PyTorch guide recommends none
-- says: count not-zero = "# time~"
-- says: call_ns = "% in such calls"
-- says: grown_bytes = "reserved memory grew by % in total"
-- says: reserved_peak_bytes = "reserved at most %"
-- says: defragmentation_ns = "% of defragmentation in the run"
-- says: longest_ns several = "the longest %"
-- says: compared = "%"
-- source: PyTorch performance tuning guide (pre-allocate memory for variable input length); Intel
--    Gaudi documentation (runtime metrics); thresholds: our defaults.
WITH growth AS (
  SELECT 'device ' || m.device_id AS subject, m.count AS times, m.grown_bytes,
    m.reserved_peak_bytes AS reserved_bytes
  FROM memory_growth m
  WHERE m.trace_id = :trace_id AND m.count >= :min_growth_count),
counted AS (
  SELECT d.path, d.times, d.total_ns, d.longest_ns FROM side_defragmentation d
  WHERE d.trace_id = :trace_id),
sees AS (
  SELECT min(iif(c.name IN ('memory', 'steps'), c.present, 1)) AS trace_sees
  FROM capability c
  WHERE c.trace_id = :trace_id),
called AS (
  SELECT h.name, sum(h.count) AS times, CAST(total(h.dur_ns) AS INTEGER) AS call_ns
  FROM host_total h
  WHERE h.trace_id = :trace_id AND h.mark = 'device_memory' AND h.is_launching
  GROUP BY h.name),
found AS (
  SELECT g.subject, g.times, NULL AS call_ns, g.grown_bytes, g.reserved_bytes, NULL AS total_ns, NULL AS longest_ns,
    CASE WHEN NOT EXISTS (SELECT 1 FROM counted) THEN NULL
      WHEN (SELECT max(times) FROM counted) >= :min_defragmentation_count
        THEN 'trace and metrics file agree'
      ELSE 'the metrics file counts no defragmentation' END AS compared
  FROM growth g
  UNION ALL
  SELECT c.name, c.times, c.call_ns, NULL, NULL, NULL, NULL, NULL
  FROM called c
  UNION ALL
  SELECT c.path, c.times, NULL, NULL, NULL, c.total_ns, c.longest_ns,
    CASE WHEN NOT v.trace_sees THEN 'the trace cannot show it'
      WHEN EXISTS (SELECT 1 FROM growth) THEN 'trace and metrics file agree'
      ELSE 'reserved memory does not grow in the trace' END
  FROM counted c
  JOIN sees v
  WHERE c.times >= :min_defragmentation_count)
SELECT
  f.subject AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  f.times AS count,
  f.call_ns AS call_ns,
  f.grown_bytes AS grown_bytes,
  f.reserved_bytes AS reserved_peak_bytes,
  f.total_ns AS defragmentation_ns,
  f.longest_ns AS longest_ns,
  f.compared AS compared
FROM found f
ORDER BY count DESC, subject
