-- The trace has device work, and of the host nothing or calls of the device's runtime alone: its operators were not
-- recorded, so causes are unknown.
--
-- id: no-host-events
-- order: 40
-- kind: quality
-- title: CPU operators were not recorded
-- do: Record ProfilerActivity.CPU, too. It costs little and shows what the device waits for.
-- why: The idle time of the device is measured, but not its cause: loader, compiler and operators
--    do not show, and most checks find nothing to look at.
-- needs: device
-- says: event_count = "# event~ in the file"
-- source: tracecoach: a report says what its trace cannot show.
SELECT
  iif(h.present, 'calls of the device''s runtime alone', 'no host slices') AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  0 AS serious,
  t.event_count AS event_count
FROM trace t
JOIN capability h ON h.trace_id = t.id AND h.name = 'host'
WHERE t.id = :trace_id
  AND (NOT h.present OR NOT EXISTS (SELECT 1 FROM host_total o
    WHERE o.trace_id = t.id AND coalesce(o.role, 'other') NOT IN
      ('launch', 'sync', 'input_copy', 'output_copy', 'setup')))
ORDER BY t.id
