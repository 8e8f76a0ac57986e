-- The part of the analysed wall time that tells of the run: without warm-up steps and, in a trace without steps, without
-- start-up and end, of which idle time while the runtime sets up is a part, and without device work that was not recorded.
-- Thresholds in percent are shares of it (table steady). What is no part of the run is subtracted here and nowhere else.
CREATE VIEW run_time AS
SELECT
	r.trace_id AS trace_id, -- trace.id
	r.wall_ns AS wall_ns, -- ns: all of it
	r.warm_up_ns AS warm_up_ns, -- ns: warm-up steps
	max(0, r.excess_ns - r.unrecorded_ns + coalesce((SELECT sum(g.dur) FROM gap g, idlest_device d
		WHERE g.trace_id = r.trace_id AND d.trace_id = g.trace_id AND d.device = g.device AND g.cause = 'unrecorded'
		AND g.ts > (SELECT s.device_ts + s.device_dur FROM step s WHERE s.trace_id = g.trace_id AND s.device_ts IS NOT NULL
			ORDER BY s.ts, s.id LIMIT 1)), 0)) AS first_excess_ns, -- ns: what gains are not said of besides: by how much a first step is longer than the mean of the others, or device work of a warm-up step that goes on behind it, without what is unrecorded_ns in it; 0 with fewer than three steps
	r.edge_ns AS edge_ns, -- ns: start-up and end
	r.setup_ns AS setup_ns, -- ns: the part of start-up between the first and the last work: idle time while the runtime sets up
	r.unrecorded_ns AS unrecorded_ns -- ns: device work that was not recorded, outside of warm-up steps
FROM (
	SELECT
		m.trace_id AS trace_id,
		m.value AS wall_ns,
		coalesce((SELECT sum(s.dur) FROM step s WHERE s.trace_id = m.trace_id AND s.is_warm_up), 0) AS warm_up_ns,
		coalesce((SELECT max(0, s.device_ts + s.device_dur - s.ts - s.dur) FROM step s WHERE s.trace_id = m.trace_id AND s.is_warm_up),
			(SELECT max(0, f.value - (u.value - f.value) / (c.value - 1)) FROM metric f
			JOIN metric u ON u.trace_id = f.trace_id AND u.name = 'steady_step_sum_ns' AND u.device IS NULL AND u.step IS NULL
			JOIN metric c ON c.trace_id = f.trace_id AND c.name = 'steady_step_count' AND c.device IS NULL AND c.step IS NULL AND c.value > 2
			WHERE f.trace_id = m.trace_id AND f.name = 'steady_step_first_ns' AND f.device IS NULL AND f.step IS NULL), 0) AS excess_ns,
		coalesce((SELECT e.ns FROM start_and_end e WHERE e.trace_id = m.trace_id AND e.device IS NULL), 0) AS edge_ns,
		iif(coalesce(h.value, 0) = 1, 0, coalesce((SELECT sum(i.dur) FROM idle_total i WHERE i.trace_id = m.trace_id
			AND i.device IS NULL AND i.step_id IS NULL AND i.at_edge = 0 AND i.cause = 'setup'), 0)) AS setup_ns,
		coalesce((SELECT u.value - coalesce((SELECT sum(w.value) FROM step s JOIN metric w ON w.trace_id = s.trace_id
			AND w.name = u.name AND w.device IS NULL AND w.step = s.number WHERE s.trace_id = m.trace_id AND s.is_warm_up), 0)
			FROM metric u WHERE u.trace_id = m.trace_id AND u.name = 'device_unknown_ns' AND u.device IS NULL AND u.step IS NULL
			AND u.value > 0), 0) AS unrecorded_ns
	FROM metric m
	LEFT JOIN metric h ON h.trace_id = m.trace_id AND h.name = 'has_steps' AND h.device IS NULL AND h.step IS NULL
	WHERE m.name = 'wall_ns' AND m.device IS NULL AND m.step IS NULL) r;
