-- The analysed wall time without warm-up steps: thresholds in percent are shares of it.
CREATE VIEW steady AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.value - (SELECT coalesce(sum(s.dur), 0) FROM step s
		WHERE s.trace_id = m.trace_id AND s.is_warm_up) AS wall_ns, -- ns: wall time without warm-up steps
	(SELECT count(*) FROM step s
		WHERE s.trace_id = m.trace_id AND NOT s.is_warm_up) AS step_count -- steps other than warm-up
FROM metric m
WHERE m.name = 'wall_ns' AND m.device IS NULL AND m.step IS NULL;
