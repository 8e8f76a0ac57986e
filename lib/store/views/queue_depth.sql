-- Depth of a device's queue over time: operations whose launching call has started and which
-- have not. Negative where host and device clocks differ. Scans the device operations.
CREATE VIEW queue_depth AS
SELECT DISTINCT
	e.trace_id AS trace_id, -- trace.id
	e.device AS device, -- device, as in device_op.device
	e.ts AS ts, -- ns: the depth holds from here to the next row of the device
	sum(e.change) OVER (PARTITION BY e.trace_id, e.device ORDER BY e.ts) AS depth -- operations launched and not yet started
FROM (
	SELECT d.trace_id, d.device, l.ts, 1 AS change
	FROM device_op d
	JOIN slice_row l ON l.id = d.launch_slice_id
	UNION ALL
	SELECT d.trace_id, d.device, d.ts, -1
	FROM device_op d
	WHERE d.launch_slice_id IS NOT NULL) e;
