-- What lives at the peak of each device, by the operation that allocated it.
CREATE VIEW memory_at_peak AS
WITH held AS MATERIALIZED (
	SELECT p.trace_id, p.device, p.in_use_bytes, b.operator, count(b.id) AS count, total(b.bytes) AS bytes,
		p.is_relative
	FROM memory_peak p
	LEFT JOIN memory_block b ON b.trace_id = p.trace_id AND b.device = p.device
		AND b.has_address AND (b.ts, b.id) <= (p.ts, p.id)
		AND (b.end_id IS NULL OR (b.end_ts, b.end_id) > (p.ts, p.id))
	GROUP BY p.trace_id, p.device, b.operator)
SELECT
	h.trace_id AS trace_id, -- trace.id
	h.device AS device, -- as in memory_curve
	h.operator AS operator, -- as in memory_block; NULL when no slice is around the allocation
	0 AS is_older, -- 1: the row of what was allocated before the recording, without operator
	h.count AS count, -- allocations; NULL for what is older
	CAST(h.bytes AS INTEGER) AS bytes -- bytes
FROM held h
WHERE h.count > 0
UNION ALL
SELECT o.trace_id, o.device, NULL, 1, NULL, o.in_use_bytes - CAST(total(o.bytes) AS INTEGER)
FROM held o
WHERE NOT o.is_relative AND (o.trace_id, o.device) IN (
	SELECT s.trace_id, iif(s.device_type = 0, 'cpu', CAST(s.device_id AS TEXT)) FROM memory_sample s
	WHERE s.addr IS NOT NULL)
GROUP BY o.trace_id, o.device;
