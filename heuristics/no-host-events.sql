-- The trace has device work only. The host was not recorded, so causes are unknown.
--
-- id: no-host-events
-- order: 40
-- kind: quality
-- title: The trace has no host activity
-- do: Record CPU activity too (ProfilerActivity.CPU). It costs little and shows what the device
--    waits for.
-- why: The idle time of the device is measured, but not its cause: loader, compiler, copies and
--    launches do not show.
-- needs: device
-- says: event_count = "# event~ in the file"
-- source: tracecoach: a report says what its trace cannot show.
SELECT
  'no host slices' AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  0 AS serious,
  t.event_count AS event_count
FROM trace t
WHERE t.id = :trace_id
  AND NOT EXISTS (SELECT 1 FROM capability c
    WHERE c.trace_id = t.id AND c.name = 'host' AND c.present)
ORDER BY t.id
