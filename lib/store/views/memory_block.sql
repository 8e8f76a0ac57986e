-- Every allocation with its end: the free of its address, or the moment at which the address is given
-- out again. What was allocated before the recording has no row.
CREATE VIEW memory_block AS
SELECT
	b.id AS id, -- memory_sample.id
	b.trace_id AS trace_id, -- trace.id
	b.device AS device, -- as in memory_curve
	b.ts AS ts, -- ns
	b.bytes AS bytes, -- bytes
	b.thread_id AS thread_id, -- thread.id of the thread that asked for it
	o.operator_slice_id AS slice_id, -- slice.id of the operation it is for; NULL when no slice is around it
	o.operator AS operator, -- its name
	b.has_address AS has_address, -- 0: its address is not recorded, so its end is not known
	b.end_id AS end_id, -- memory_sample.id of its end; NULL when it lives at the end of the recording
	b.end_ts AS end_ts -- ns: its end
FROM (
	SELECT m.id, m.trace_id, m.ts, m.bytes, m.thread_id,
		iif(m.device_type = 0, 'cpu', CAST(m.device_id AS TEXT)) AS device,
		m.addr IS NOT NULL AS has_address,
		iif(m.addr IS NULL, NULL, lead(m.id) OVER a) AS end_id,
		iif(m.addr IS NULL, NULL, lead(m.ts) OVER a) AS end_ts
	FROM memory_sample m
	WHERE m.bytes <> 0
	WINDOW a AS (PARTITION BY m.trace_id, m.device_type, m.device_id, m.addr ORDER BY m.ts, m.id)) b
LEFT JOIN allocation o ON o.id = b.id
WHERE b.bytes > 0;
