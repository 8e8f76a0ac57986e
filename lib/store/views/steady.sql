-- The analysed wall time without warm-up steps: thresholds in percent are shares of it.
CREATE VIEW steady AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.value - coalesce(s.warm_up_ns, 0) AS wall_ns, -- ns: wall time without warm-up steps
	coalesce(s.step_count, 0) AS step_count -- steps other than warm-up
FROM metric m
LEFT JOIN (
	SELECT trace_id, sum(CASE WHEN is_warm_up THEN dur END) AS warm_up_ns,
		sum(NOT is_warm_up) AS step_count
	FROM step
	GROUP BY trace_id) s ON s.trace_id = m.trace_id
WHERE m.name = 'wall_ns' AND m.device IS NULL AND m.step IS NULL;
