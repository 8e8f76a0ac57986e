-- The queue of each stream (or lane) whose operations have a known launching call, over the recording.
CREATE VIEW stream_queue AS
WITH depth AS (
	SELECT s.trace_id, s.track_id, s.depth, lead(s.ts) OVER (PARTITION BY s.track_id ORDER BY s.ts) - s.ts AS dur_ns
	FROM stream_depth s),
queue AS (
	SELECT q.trace_id, q.track_id, max(q.depth) AS max_depth, total(q.depth * q.dur_ns) / nullif(total(q.dur_ns), 0) AS mean_depth,
		CAST(total(iif(q.depth > 0, q.dur_ns, 0)) AS INTEGER) AS waiting_ns,
		CAST(total(iif(q.depth >= 1024, q.dur_ns, 0)) AS INTEGER) AS full_ns
	FROM depth q
	GROUP BY q.trace_id, q.track_id),
delay AS (
	SELECT s.track_id, count(*) AS count, avg(s.ts - l.ts) AS mean_ns, CAST(max(s.ts - l.ts) AS INTEGER) AS max_ns,
		sum(s.ts < l.ts) AS early_count
	FROM device_link k
	CROSS JOIN slice_row l ON l.id = k.launch_slice_id
	CROSS JOIN slice_row s ON s.id BETWEEN k.first_slice_id AND k.last_slice_id
	GROUP BY s.track_id)
SELECT
	q.trace_id AS trace_id, -- trace.id
	t.device AS device, -- as in device_op
	t.lane AS lane, -- name of the lane, such as "stream 7"
	q.track_id AS track_id, -- track.id
	w.count AS launched_count, -- operations with a known launching call
	CAST(w.mean_ns AS INTEGER) AS mean_delay_ns, -- ns: from the start of the call to that of its operation, on average
	w.max_ns AS max_delay_ns, -- ns: the longest
	w.early_count AS early_count, -- operations that start before their call: host and device clocks differ
	q.mean_depth AS mean_depth, -- mean of stream_depth.depth over time
	q.max_depth AS max_depth, -- its maximum
	q.waiting_ns AS waiting_ns, -- ns: time in which at least one operation waits
	q.full_ns AS full_ns -- ns: time in which 1,024 or more wait: a launch then blocks the host on CUDA
FROM queue q
JOIN delay w ON w.track_id = q.track_id
JOIN track t ON t.id = q.track_id;
