-- What lives at the peak of each device, by the operation that allocated it and the step in which it did.
CREATE VIEW memory_at_peak AS
SELECT
	p.trace_id AS trace_id, -- trace.id
	p.device AS device, -- as in memory_curve
	b.operator AS operator, -- as in memory_block; NULL when no slice is around the allocation
	0 AS is_older, -- 1: the row of what was allocated before the recording, without operator
	count(*) AS count, -- allocations
	CAST(total(b.bytes) AS INTEGER) AS bytes -- bytes
FROM memory_peak p
JOIN memory_block b ON b.trace_id = p.trace_id AND b.device = p.device
	AND b.has_address AND (b.ts, b.id) <= (p.ts, p.id)
	AND (b.end_id IS NULL OR (b.end_ts, b.end_id) > (p.ts, p.id))
GROUP BY p.trace_id, p.device, b.operator
UNION ALL
SELECT p.trace_id, p.device, NULL, 1, NULL, p.in_use_bytes - (
	SELECT CAST(total(b.bytes) AS INTEGER) FROM memory_block b
	WHERE b.trace_id = p.trace_id AND b.device = p.device AND (b.ts, b.id) <= (p.ts, p.id)
	AND (b.end_id IS NULL OR (b.end_ts, b.end_id) > (p.ts, p.id)))
FROM memory_peak p
WHERE NOT p.is_relative AND EXISTS (SELECT 1 FROM memory_block b
	WHERE b.trace_id = p.trace_id AND b.device = p.device AND b.has_address);
