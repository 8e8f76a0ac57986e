-- Allocations by device, operation and thread.
CREATE VIEW memory_operator AS
SELECT
	b.trace_id AS trace_id, -- trace.id
	b.device AS device, -- as in memory_curve
	b.operator AS operator, -- as in memory_block; NULL when no slice is around the allocation
	b.thread_id AS thread_id, -- thread.id of the thread that asked for it
	count(*) AS count, -- allocations
	CAST(total(b.bytes) AS INTEGER) AS bytes, -- bytes
	max(b.bytes) AS max_bytes, -- bytes: the largest
	sum(iif(b.has_address, b.end_id IS NULL, NULL)) AS kept_count, -- allocations that live at the end of the recording; NULL when addresses are not recorded
	CAST(sum(iif(b.has_address, iif(b.end_id IS NULL, CAST(b.bytes AS REAL), 0.0), NULL)) AS INTEGER) AS kept_bytes, -- their bytes
	CAST(avg(b.end_ts - b.ts) AS INTEGER) AS mean_lifetime_ns -- ns: mean lifetime of the others; NULL without any
FROM memory_block b
GROUP BY b.trace_id, b.device, b.operator, b.thread_id;
