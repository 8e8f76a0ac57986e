-- Fallbacks to the CPU according to side files. Each operation has the largest of its counts, since
-- a file may report the same fallbacks in lines, in a table and in several dumps.
CREATE VIEW side_fallback AS
SELECT
	r.trace_id AS trace_id, -- trace.id
	r.operation AS operation, -- operation with its namespace
	r.told_by AS told_by, -- log lines, log table or metrics file
	r.times AS times -- fallbacks in the run
FROM (SELECT t.*, row_number() OVER (PARTITION BY t.trace_id, t.operation
		ORDER BY t.times DESC, t.told_by) AS place
	FROM (SELECT l.trace_id, l.subject AS operation, 'log lines' AS told_by, count(*) AS times
		FROM side_log l
		WHERE l.kind = 'cpu_fallback'
		GROUP BY l.trace_id, l.source, l.subject
		UNION ALL
		SELECT l.trace_id, l.subject, 'log table', max(l.count)
		FROM side_log l
		WHERE l.kind = 'cpu_fallback_total'
		GROUP BY l.trace_id, l.source, l.subject
		UNION ALL
		SELECT m.trace_id, m.item, 'metrics file', max(CAST(m.value AS INTEGER))
		FROM side_metric m
		WHERE m.metric = 'cpu_fallback' AND m.name = 'FallbackOps' AND m.item IS NOT NULL
		GROUP BY m.trace_id, m.source, m.item) t) r
WHERE r.place = 1 AND r.times > 0;
