-- The moment at which each device has most memory in use, the first of several.
CREATE VIEW memory_peak AS
SELECT
	c.trace_id AS trace_id, -- trace.id
	c.device AS device, -- as in memory_curve
	c.id AS id, -- memory_sample.id
	c.ts AS ts, -- ns
	c.step_id AS step_id, -- step.id; NULL outside of steps
	c.in_use_bytes AS in_use_bytes, -- bytes in use
	c.reserved_bytes AS reserved_bytes, -- bytes reserved; NULL when not recorded
	c.reserved_bytes - c.in_use_bytes AS unused_bytes, -- bytes reserved and not in use: free blocks, also such that no request fits into
	c.is_relative AS is_relative -- as in memory_curve
FROM (
	SELECT m.*, row_number() OVER (PARTITION BY m.trace_id, m.device ORDER BY m.in_use_bytes DESC, m.ts, m.id) AS place
	FROM memory_curve m) c
WHERE c.place = 1;
