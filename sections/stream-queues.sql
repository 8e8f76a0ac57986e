-- title: Queues of streams
-- place: details 190
-- step: no
-- costly: text json
-- keep: stream_queue
-- json: queues.streams 160
SELECT
  q.launched_count, -- count "?launches"
  q.mean_delay_ns, -- ns "mean delay"
  q.max_delay_ns, -- ns "?longest"
  printf('%.1f', q.mean_depth), -- name "?mean depth"
  q.max_depth, -- count "depth at most"
  q.device, -- name "?device"
  iif(q.full_ns > 0, q.full_ns, NULL), -- ns "?full"
  q.lane -- name "<stream"
FROM stream_queue q
JOIN track t ON t.id = q.track_id
WHERE q.trace_id = :trace AND coalesce(t.engine, '') NOT IN ('mme', 'tpc', 'dma', 'nic', 'other')
ORDER BY q.launched_count DESC, q.track_id
LIMIT :limit
-- @json
SELECT trace_id, device, lane, track_id, launched_count, mean_delay_ns, max_delay_ns, early_count, mean_depth,
  max_depth, waiting_ns, full_ns
FROM stream_queue
ORDER BY trace_id, track_id
