-- Idle time between operations of each stream, by the three causes of Holistic Trace Analysis
-- (get_idle_time_breakdown). The table gap has idle time of the whole device by more causes; see
-- docs/queues.md for what corresponds to what.
CREATE VIEW stream_idle AS
SELECT
	i.trace_id AS trace_id, -- trace.id
	i.device AS device, -- as in device_op
	i.lane AS lane, -- name of the lane, such as "stream 7"
	i.track_id AS track_id, -- track.id
	i.cause AS cause, -- host_wait (the call that launches the next operation began after the end of the one before), kernel_wait (else, below 30 ns) or other
	count(*) AS count, -- pauses, also those of 0 ns
	CAST(total(i.idle_ns) AS INTEGER) AS idle_ns -- ns: sum of the pauses
FROM (
	SELECT o.trace_id, o.device, o.lane, o.track_id, max(o.ts - o.before_end, 0) AS idle_ns,
		CASE WHEN l.ts > o.before_end THEN 'host_wait' WHEN o.ts - o.before_end < 30 THEN 'kernel_wait' ELSE 'other' END AS cause
	FROM (
		SELECT d.trace_id, d.device, d.lane, d.track_id, d.ts, d.launch_slice_id,
			lag(d.ts + max(d.dur, 0)) OVER (PARTITION BY d.track_id ORDER BY d.ts, d.slice_id) AS before_end
		FROM device_op d) o
	LEFT JOIN slice_row l ON l.id = o.launch_slice_id
	WHERE o.before_end IS NOT NULL) i
GROUP BY i.trace_id, i.track_id, i.cause;
