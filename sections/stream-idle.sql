-- title: Idle time of streams
-- place: details 200
-- step: no
-- costly: text json
-- keep: stream_idle
-- json: queues.idle 170
SELECT
  i.idle_ns, -- ns "idle"
  100.0 * i.idle_ns / nullif(total(i.idle_ns) OVER (PARTITION BY i.track_id), 0), -- pct "?of stream"
  i.count, -- count "?pauses"
  i.cause, -- name "<HTA's cause"
  i.device, -- name "?device"
  i.lane -- name "<stream"
FROM stream_idle i
JOIN track t ON t.id = i.track_id
WHERE i.trace_id = :trace AND i.idle_ns > 0
  AND coalesce(t.engine, '') NOT IN ('mme', 'tpc', 'dma', 'nic', 'other')
ORDER BY i.track_id, i.idle_ns DESC, i.cause
LIMIT :limit
-- @json
SELECT trace_id, device, lane, track_id, cause, count, idle_ns
FROM stream_idle
ORDER BY trace_id, track_id, cause
