-- The device with the most idle time: when several devices wait for one host, that time must count
-- once.
CREATE VIEW idlest_device AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.device AS device, -- device, as in device_op.device
	m.idle_ns AS idle_ns -- ns: its device_idle_ns
FROM (SELECT m.trace_id, m.device, m.value AS idle_ns,
		row_number() OVER (PARTITION BY m.trace_id ORDER BY m.value DESC, m.device) AS place
	FROM metric m
	WHERE m.name = 'device_idle_ns' AND m.device IS NOT NULL AND m.step IS NULL) m
WHERE m.place = 1;
