-- The run without what does not belong to it (run_time), and the numbers of its steps: thresholds in percent are shares
-- of its time.
CREATE VIEW steady AS
SELECT
	r.trace_id AS trace_id, -- trace.id
	r.wall_ns - r.warm_up_ns - r.edge_ns - r.setup_ns - r.unrecorded_ns AS wall_ns, -- ns: run_time.wall_ns without all that is no part of the run
	s.step_count AS step_count, -- steps other than warm-up
	s.device_step_count AS device_step_count -- steps with device work in the recording, with warm-up: what counts of all device work are divided by
FROM run_time r
JOIN (
	SELECT t.id, coalesce(sum(NOT x.is_warm_up), 0) AS step_count, count(x.device_ts) AS device_step_count
	FROM trace t
	LEFT JOIN step x ON x.trace_id = t.id
	GROUP BY t.id) s ON s.id = r.trace_id;
