-- The device with the most work. It represents the others where several devices run the same work.
CREATE VIEW busiest_device AS
SELECT
	b.trace_id AS trace_id, -- trace.id
	b.device AS device, -- device, as in device_op.device
	b.busy_ns AS busy_ns -- ns: its device_busy_ns
FROM (SELECT m.trace_id, m.device, m.value AS busy_ns,
		row_number() OVER (PARTITION BY m.trace_id ORDER BY m.value DESC, m.device) AS place
	FROM metric m
	WHERE m.name = 'device_busy_ns' AND m.device IS NOT NULL AND m.step IS NULL) b
WHERE b.place = 1;
