-- Gaudi has dozens of lanes of each engine, which no table shows one by one: a line below the bars of the first
-- screen does. The JSON report lists all, since they are few.
--
-- title: Streams
-- place: details 130
-- step: no
-- json: traces[].devices[].lanes 20
SELECT
  busy_ns, -- ns "busy"
  100.0 * busy_ns / nullif((SELECT value FROM metric m WHERE m.trace_id = :trace AND m.name = 'device_busy_ns'
    AND m.device = l.device AND m.step IS NULL), 0), -- pct "of device"
  op_count, -- count "?operations"
  device, -- name "device"
  coalesce(engine, 'several'), -- part "?<engine"
  lane -- name "<stream"
FROM lane_total l
WHERE trace_id = :trace AND coalesce(engine, '') NOT IN ('mme', 'tpc', 'dma', 'nic', 'other')
ORDER BY 1 DESC, op_count DESC, track_id
LIMIT :limit
-- @json
SELECT lane, engine, track_id, op_count, busy_ns
FROM lane_total
WHERE trace_id = :trace AND device = :device
ORDER BY track_id
