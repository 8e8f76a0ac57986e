-- Memory of each device in each step, and outside of steps.
CREATE VIEW memory_step AS
SELECT
	c.trace_id AS trace_id, -- trace.id
	c.device AS device, -- as in memory_curve
	c.step_id AS step_id, -- step.id; NULL outside of steps
	count(*) AS event_count, -- allocator events
	sum(c.bytes > 0) AS allocation_count, -- allocations
	CAST(total(iif(c.bytes > 0, c.bytes, 0)) AS INTEGER) AS allocated_bytes, -- bytes allocated
	CAST(total(iif(c.bytes < 0, -c.bytes, 0)) AS INTEGER) AS freed_bytes, -- bytes freed
	max(c.in_use_bytes) AS peak_bytes, -- bytes: most in use
	min(c.in_use_bytes) AS least_bytes, -- bytes: least in use
	max(iif(c.is_last, c.in_use_bytes, NULL)) AS end_bytes, -- bytes in use after its last event
	max(c.reserved_bytes) AS reserved_peak_bytes, -- bytes: most reserved; NULL when not recorded
	max(c.is_relative) AS is_relative -- as in memory_curve
FROM (
	SELECT m.*, row_number() OVER (PARTITION BY m.trace_id, m.device, m.step_id ORDER BY m.ts DESC, m.id DESC) = 1 AS is_last
	FROM memory_curve m) c
GROUP BY c.trace_id, c.device, c.step_id;
