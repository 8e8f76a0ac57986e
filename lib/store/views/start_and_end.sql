-- Start-up and end of a trace without steps: its metric start_and_end_ns.
CREATE VIEW start_and_end AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.device AS device, -- device, as in device_op.device; NULL for the time in which no device works
	m.value AS ns -- ns
FROM metric m
WHERE m.name = 'start_and_end_ns' AND m.step IS NULL AND m.value > 0;
