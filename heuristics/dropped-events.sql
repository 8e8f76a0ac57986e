-- What the import could not keep, other than cuts in the events: also damage in the middle of compressed
-- data, and members of the trace behind its last event.
--
-- id: dropped-events
-- order: 20
-- kind: quality
-- title: Parts of the file could not be read
-- do: Look the kinds and places up in the import log (--details). A newer version of the profiler usually
--    writes them correctly. If the file was edited or merged, use the original.
-- why: Every number lacks what was dropped.
-- param: serious_pct pct 1 0 100 share of the events, or of the bytes, that were lost; the note is
--    serious at or above this; our default, no published source
-- says: first_offset_bytes = "from byte #"
-- says: first_message = "the first: %"
-- says: event_count = "# event~ kept"
-- source: tracecoach: every loss during import is reported.
SELECT
  l.kind AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  sum(l.count) AS count,
  max(l.kind = 'source_cut' OR l.count * 100.0 >= :serious_pct
    * CASE WHEN l.kind IN ('damaged_event', 'trailing_garbage', 'truncated') THEN t.read_bytes
      ELSE t.event_count END) AS serious,
  min(l.byte_offset) AS first_offset_bytes,
  min(l.message) AS first_message,
  t.event_count AS event_count
FROM import_log l
JOIN trace t ON t.id = l.trace_id
WHERE l.trace_id = :trace_id AND l.severity = 'data_loss'
  AND l.kind <> 'starts_midway'
  AND NOT (l.kind IN ('truncated', 'source_cut') AND EXISTS (
    SELECT 1 FROM metric m WHERE m.trace_id = :trace_id AND m.name = 'ends_early'))
GROUP BY l.kind
ORDER BY serious DESC, count DESC, subject
