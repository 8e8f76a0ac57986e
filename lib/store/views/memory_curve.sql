-- Memory in use after every allocator event, in the order of time, and the step it belongs to.
CREATE VIEW memory_curve AS
SELECT
	c.id AS id, -- memory_sample.id
	c.trace_id AS trace_id, -- trace.id
	c.device AS device, -- index of the device, as in device_op.device; cpu for the host
	c.ts AS ts, -- ns
	s.id AS step_id, -- step.id of the step in which it lies; NULL outside of steps
	c.bytes AS bytes, -- bytes: negative for a free
	c.in_use_bytes AS in_use_bytes, -- bytes in use after it
	c.reserved_bytes AS reserved_bytes, -- bytes reserved after it; NULL when not recorded
	c.is_relative AS is_relative -- 1: totals are not recorded, so in_use_bytes counts from the start of the recording
FROM (
	SELECT e.*, max(e.started_id) OVER (PARTITION BY e.trace_id ORDER BY e.ts, e.is_sample) AS latest_id
	FROM (
		SELECT m.id, m.trace_id, 1 AS is_sample, NULL AS started_id, m.ts, m.bytes,
			iif(m.device_type = 0, 'cpu', CAST(m.device_id AS TEXT)) AS device,
			iif(count(*) OVER d > count(m.total_allocated_bytes) OVER d,
				CAST(total(m.bytes) OVER (d ORDER BY m.ts, m.id) AS INTEGER),
				m.total_allocated_bytes) AS in_use_bytes,
			m.total_reserved_bytes AS reserved_bytes,
			count(*) OVER d > count(m.total_allocated_bytes) OVER d AS is_relative
		FROM memory_sample m
		WINDOW d AS (PARTITION BY m.trace_id, m.device_type, m.device_id)
		UNION ALL
		SELECT NULL, p.trace_id, 0, p.id, p.ts, NULL, NULL, NULL, NULL, NULL
		FROM step p) e) c
LEFT JOIN step s ON s.id = c.latest_id AND c.ts < s.ts + s.dur
WHERE c.is_sample;
