-- The analysed wall time without warm-up steps: thresholds in percent are shares of it.
CREATE VIEW steady AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.value - s.warm_up_ns AS wall_ns, -- ns: wall time without warm-up steps
	s.step_count AS step_count, -- steps other than warm-up
	s.device_step_count AS device_step_count -- steps with device work in the recording, with warm-up: what counts of all device work are divided by
FROM metric m
JOIN (
	SELECT t.id, coalesce(sum(iif(x.is_warm_up, x.dur, 0)), 0) AS warm_up_ns,
		coalesce(sum(NOT x.is_warm_up), 0) AS step_count, count(x.device_ts) AS device_step_count
	FROM trace t
	LEFT JOIN step x ON x.trace_id = t.id
	GROUP BY t.id) s ON s.id = m.trace_id
WHERE m.name = 'wall_ns' AND m.device IS NULL AND m.step IS NULL;
