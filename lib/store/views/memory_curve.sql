-- Memory in use after every allocator event, and the step it belongs to.
CREATE VIEW memory_curve AS
SELECT
	m.id AS id, -- memory_sample.id
	m.trace_id AS trace_id, -- trace.id
	m.device AS device, -- index of the device, as in device_op.device; cpu for the host
	m.ts AS ts, -- ns
	(SELECT iif(m.ts < s.ts + s.dur, s.id, NULL) FROM counted_step s WHERE s.trace_id = m.trace_id AND s.ts <= m.ts
		ORDER BY s.ts DESC, s.id DESC LIMIT 1) AS step_id, -- step.id of the step in which it lies; NULL outside of steps
	m.bytes AS bytes, -- bytes: negative for a free
	m.in_use_bytes AS in_use_bytes, -- bytes in use after it
	m.reserved_bytes AS reserved_bytes, -- bytes reserved after it; NULL when not recorded
	m.is_relative AS is_relative -- 1: totals are not recorded, so in_use_bytes counts from the start of the recording
FROM (
	SELECT s.id, s.trace_id, iif(s.device_type = 0, 'cpu', CAST(s.device_id AS TEXT)) AS device, s.ts,
		s.bytes, s.total_allocated_bytes AS in_use_bytes, s.total_reserved_bytes AS reserved_bytes,
		0 AS is_relative
	FROM memory_sample s
	WHERE (s.trace_id, coalesce(s.device_type, -1), coalesce(s.device_id, -1)) NOT IN (
		SELECT n.trace_id, coalesce(n.device_type, -1), coalesce(n.device_id, -1) FROM memory_sample n WHERE n.total_allocated_bytes IS NULL)
	UNION ALL
	SELECT s.id, s.trace_id, iif(s.device_type = 0, 'cpu', CAST(s.device_id AS TEXT)), s.ts, s.bytes,
		CAST(total(s.bytes) OVER (PARTITION BY s.trace_id, s.device_type, s.device_id ORDER BY s.ts, s.id) AS INTEGER),
		s.total_reserved_bytes, 1
	FROM memory_sample s
	WHERE (s.trace_id, coalesce(s.device_type, -1), coalesce(s.device_id, -1)) IN (
		SELECT n.trace_id, coalesce(n.device_type, -1), coalesce(n.device_id, -1) FROM memory_sample n WHERE n.total_allocated_bytes IS NULL)) m;
