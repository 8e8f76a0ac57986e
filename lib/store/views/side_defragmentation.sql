-- Defragmentations of device memory according to the last dump of each metrics file.
CREATE VIEW side_defragmentation AS
SELECT
	f.trace_id AS trace_id, -- trace.id
	f.path AS path, -- side_file.path
	d.times AS times, -- defragmentations in the run
	CAST(d.mean_ms * d.times * 1000000 AS INTEGER) AS total_ns, -- ns: host time in them; NULL when not recorded
	CAST(d.longest_ms * 1000000 AS INTEGER) AS longest_ns -- ns: longest; NULL when not recorded
FROM (SELECT m.source, m.ord, max(m.ord) OVER (PARTITION BY m.source) AS last,
		max(iif(m.name = 'TotalNumber', m.value, NULL)) AS times,
		max(iif(m.name = 'AvgTime', m.value, NULL)) AS mean_ms,
		max(iif(m.name = 'MaxTime', m.value, NULL)) AS longest_ms
	FROM side_metric m
	WHERE m.metric = 'memory_defragmentation'
	GROUP BY m.source, m.ord) d
JOIN side_file f ON f.id = d.source
WHERE d.ord = d.last AND d.times IS NOT NULL;
