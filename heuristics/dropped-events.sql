-- Events that the import could not keep, other than cuts.
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
  max(l.count * 100.0 >= :serious_pct
    * CASE WHEN l.kind IN ('damaged_event', 'trailing_garbage') THEN t.read_bytes
      ELSE t.event_count END) AS serious,
  min(l.byte_offset) AS first_offset_bytes,
  min(l.message) AS first_message,
  t.event_count AS event_count
FROM import_log l
JOIN trace t ON t.id = l.trace_id
WHERE l.trace_id = :trace_id AND l.severity = 'data_loss'
  AND l.kind NOT IN ('truncated', 'starts_midway', 'source_cut')
GROUP BY l.kind
ORDER BY serious DESC, count DESC, subject
