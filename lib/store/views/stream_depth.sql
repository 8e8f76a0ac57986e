-- Length of the queue of each stream (or lane) over time: operations whose launching call has started
-- and which have not. Negative where host and device clocks differ. Goes through all device operations.
CREATE VIEW stream_depth AS
SELECT DISTINCT
	e.trace_id AS trace_id, -- trace.id
	e.track_id AS track_id, -- track.id of the lane
	e.ts AS ts, -- ns: the depth holds from here to the next row of the lane
	sum(e.change) OVER (PARTITION BY e.track_id ORDER BY e.ts) AS depth -- operations launched and not yet started
FROM (
	SELECT t.trace_id, s.track_id, iif(n.i = 0, l.ts, s.ts) AS ts, 1 - 2 * n.i AS change
	FROM device_link k
	CROSS JOIN slice_row l ON l.id = k.launch_slice_id
	CROSS JOIN slice_row s ON s.id BETWEEN k.first_slice_id AND k.last_slice_id
	CROSS JOIN track t ON t.id = s.track_id
	CROSS JOIN (SELECT 0 AS i UNION ALL SELECT 1) n) e;
