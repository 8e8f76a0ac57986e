-- Busy time of engines according to the Gaudi profiler's hardware CSV. Operations of one engine that
-- overlap count once.
CREATE VIEW hw_engine_total AS
SELECT
	p.trace_id AS trace_id, -- trace.id
	p.source AS source, -- side_file.id
	p.device AS device, -- device as the file names it
	p.engine AS engine, -- engine, such as "[HD0] TPC 5"
	count(*) AS op_count, -- operations with an end
	sum(max(p.end_ts - max(p.ts, coalesce(p.before_ts, p.ts)), 0)) AS busy_ns, -- ns: union of its operations
	min(p.ts) AS first_ts, -- ns: start of the first, on the profiler's clock
	max(p.end_ts) AS last_ts -- ns: end of the last
FROM (SELECT h.trace_id, h.source, h.device, h.engine, h.ts, h.ts + h.dur AS end_ts,
		max(h.ts + h.dur) OVER (PARTITION BY h.source, h.device, h.engine ORDER BY h.ts, h.dur
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ts
	FROM hw_op h
	WHERE h.dur >= 0) p
GROUP BY p.trace_id, p.source, p.device, p.engine;
