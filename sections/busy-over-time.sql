-- How busy devices are over time, in 20 equal parts of their work: a slow start, a phase that waits, a device that joins late.
--
-- title: Busy time from the first to the last device work
-- place: details 25
-- step: no
-- rows: 20
-- costly: text json
-- keep: busy_curve
-- json: occupancy.over_time 155
SELECT
  ts - (SELECT min(start_ns) FROM trace WHERE id = :trace), -- ns "from"
  100.0 * busy_ns / nullif(dur, 0), -- pct "busy"
  100.0 * compute_ns / nullif(dur, 0), -- pct "computes"
  device -- name "?<device"
FROM busy_curve
WHERE trace_id = :trace AND device = (SELECT b.device FROM busiest_device b WHERE b.trace_id = :trace)
ORDER BY part
LIMIT :limit
-- @json
SELECT trace_id, device, part, ts, dur, busy_ns, compute_ns
FROM busy_curve
ORDER BY trace_id, device, part
