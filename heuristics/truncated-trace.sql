-- The file starts or ends in the middle. What is missing cannot be known from the rest.
--
-- id: truncated-trace
-- order: 10
-- kind: quality
-- title: The trace is cut off
-- do: Record it again, and let the profiler finish. Leave its with block, or call stop(),
--    before the process ends. Check that the disk is not full.
-- why: Totals, idle times and step counts cover only the part that was kept. The rest of the run
--    may look different.
-- says: cut_event_bytes not-zero = "# byte~ left of a cut event"
-- says: skipped_bytes not-zero = "# byte~ skipped"
-- says: offset_bytes = "at byte #"
-- says: read_bytes = "+of #"
-- says: event_count = "# event~ kept"
-- says: message = "%"
-- source: tracecoach: any cut found by the import is reported, however small.
SELECT
  CASE l.kind
    WHEN 'starts_midway' THEN 'the file starts in the middle of an event list'
    WHEN 'source_cut' THEN 'the compressed data end early or are damaged'
    ELSE 'the file ends in the middle of an event list' END
    || '; how much is lost is not known' AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  1 AS count,
  1 AS serious,
  CASE l.kind WHEN 'truncated' THEN l.count END AS cut_event_bytes,
  CASE l.kind WHEN 'starts_midway' THEN l.count END AS skipped_bytes,
  l.byte_offset AS offset_bytes,
  t.read_bytes AS read_bytes,
  t.event_count AS event_count,
  l.message AS message
FROM import_log l
JOIN trace t ON t.id = l.trace_id
WHERE l.trace_id = :trace_id
  AND (l.kind = 'starts_midway' OR (l.kind IN ('truncated', 'source_cut') AND EXISTS (
    SELECT 1 FROM metric m WHERE m.trace_id = l.trace_id AND m.name = 'ends_early')))
ORDER BY l.byte_offset, l.kind, l.message
