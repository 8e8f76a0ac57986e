-- The trace has host slices only: device profiling was off, or the device part is missing. Programs that
-- show no sign of a device belong to cpu-only-run.
--
-- id: no-device-events
-- order: 30
-- kind: quality
-- title: The trace has no device work
-- do: Turn on device profiling (activities: {activity}). Record at least one step after
--    warm-up.
-- why: Without device work there are no busy and idle times, no engines and no gains.
-- needs: host, framework
-- says: event_count = "# event~ in the file"
-- says: device_name = "device %"
-- source: tracecoach: a trace without device work must not look healthy.
SELECT
  CASE WHEN EXISTS (SELECT 1 FROM import_log l WHERE l.trace_id = t.id
      AND l.kind IN ('truncated', 'starts_midway', 'source_cut'))
    THEN 'no device operations in the part that was read; the part that is cut off may hold some'
    ELSE 'no device operations' END AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  1 AS serious,
  t.event_count AS event_count,
  t.device_name AS device_name
FROM trace t
WHERE t.id = :trace_id AND t.id NOT IN (SELECT c.trace_id FROM computes_on_cpu c)
  AND NOT EXISTS (SELECT 1 FROM capability c
    WHERE c.trace_id = t.id AND c.name = 'device' AND c.present)
ORDER BY t.id
