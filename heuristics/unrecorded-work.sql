-- The device worked on something that is not in the trace. That time looks idle, and causes of idle
-- time would blame the host for it.
--
-- id: unrecorded-work
-- order: 75
-- kind: quality
-- title: Device work is missing from the recording
-- do: Do not read this time as idle. Record again, and begin while the device has nothing to do:
--    synchronize before the profiler starts, or give its schedule warm-up steps. If launches lack
--    their work, update driver and profiler, and record fewer steps.
-- why: The host waits for the device, or work is in its queue, while the trace shows nothing on it.
--    Busy time and kernels cover only what was recorded.
-- needs: host, device
-- param: min_pct pct 1 0 100 share of the analysed time; reported from this on; our default, no
--    published source
-- param: serious_pct pct 5 0 100 share of the analysed time; the note is serious at or above this; our
--    default, no published source
-- says: share_pct = "% of the time"
-- says: unrecorded_ns = "%"
-- says: launch_count not-zero = "# call~ whose work is missing"
-- source: Reports of inference servers with an idle device, whose recordings begin in the middle of a
--    request or lack the work of graphs.
SELECT
  'unrecorded device work' AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  u.value * 100.0 >= :serious_pct * w.value AS serious,
  u.value * 100.0 / w.value AS share_pct,
  u.value AS unrecorded_ns,
  coalesce(l.value, 0) AS launch_count
FROM metric u
JOIN metric w ON w.trace_id = u.trace_id AND w.name = 'wall_ns' AND w.device IS NULL AND w.step IS NULL
LEFT JOIN metric l ON l.trace_id = u.trace_id AND l.name = 'unrecorded_launch_count'
WHERE u.trace_id = :trace_id AND u.name = 'device_unknown_ns' AND u.device IS NULL AND u.step IS NULL
  AND u.value > 0 AND u.value * 100.0 >= :min_pct * w.value
ORDER BY subject
