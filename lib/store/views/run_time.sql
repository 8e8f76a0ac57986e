-- The part of the analysed wall time that tells of the run: without warm-up steps and, in a trace without steps, without
-- start-up and end, of which idle time while the runtime sets up is a part, and without device work that was not recorded.
-- Thresholds in percent are shares of it (table steady). What is no part of the run is subtracted here and nowhere else.
CREATE VIEW run_time AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.value AS wall_ns, -- ns: all of it
	coalesce((SELECT sum(s.dur) FROM step s WHERE s.trace_id = m.trace_id AND s.is_warm_up), 0) AS warm_up_ns, -- ns: warm-up steps
	coalesce((SELECT e.ns FROM start_and_end e WHERE e.trace_id = m.trace_id AND e.device IS NULL), 0) AS edge_ns, -- ns: start-up and end
	iif(coalesce(h.value, 0) = 1, 0, coalesce((SELECT sum(i.dur) FROM idle_total i WHERE i.trace_id = m.trace_id
		AND i.device IS NULL AND i.step_id IS NULL AND i.at_edge = 0 AND i.cause = 'setup'), 0)) AS setup_ns, -- ns: the part of start-up between the first and the last work: idle time while the runtime sets up
	coalesce((SELECT u.value - coalesce((SELECT sum(w.value) FROM step s JOIN metric w ON w.trace_id = s.trace_id
		AND w.name = u.name AND w.device IS NULL AND w.step = s.number WHERE s.trace_id = m.trace_id AND s.is_warm_up), 0)
		FROM metric u WHERE u.trace_id = m.trace_id AND u.name = 'device_unknown_ns' AND u.device IS NULL AND u.step IS NULL
		AND u.value > 0), 0) AS unrecorded_ns -- ns: device work that was not recorded, outside of warm-up steps
FROM metric m
LEFT JOIN metric h ON h.trace_id = m.trace_id AND h.name = 'has_steps' AND h.device IS NULL AND h.step IS NULL
WHERE m.name = 'wall_ns' AND m.device IS NULL AND m.step IS NULL;
