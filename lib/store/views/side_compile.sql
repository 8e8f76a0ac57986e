-- Graph compilations after the start according to side files: in a metrics file, those between its
-- first and its last dump; in a log, its lines outside of warm-up. A metrics file with one dump has
-- only a total, and no row here.
CREATE VIEW side_compile AS
SELECT
	f.trace_id AS trace_id, -- trace.id
	f.path AS path, -- side_file.path
	c.told_by AS told_by, -- metrics file or log lines
	c.compiles AS compiles, -- compilations
	c.compile_ns AS compile_ns -- ns: host time in them; NULL when not recorded
FROM (SELECT d.source, 'metrics file' AS told_by, max(d.compiles) - min(d.compiles) AS compiles,
		CAST((max(d.time_us) - min(d.time_us)) * 1000 AS INTEGER) AS compile_ns
	FROM (SELECT m.source, m.ord, max(iif(m.name = 'TotalNumber', m.value, NULL)) AS compiles,
			max(iif(m.name = 'TotalTime', m.value, NULL)) AS time_us
		FROM side_metric m
		WHERE m.metric = 'graph_compilation' AND m.item IS NULL
		GROUP BY m.source, m.ord) d
	GROUP BY d.source
	HAVING count(d.compiles) > 1
	UNION ALL
	SELECT l.source, 'log lines', sum(iif(l.subject LIKE '%warm%', 0, l.count)),
		sum(iif(l.subject LIKE '%warm%', 0, l.value)) * 1000
	FROM side_log l
	WHERE l.kind = 'graph_compile'
	GROUP BY l.source) c
JOIN side_file f ON f.id = c.source;
