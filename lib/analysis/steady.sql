-- The run that thresholds are shares of, worked out once: two dozen heuristics join it. ?1 is the trace.
INSERT INTO steady (trace_id, wall_ns, step_count, device_step_count)
SELECT r.trace_id, r.wall_ns - r.warm_up_ns - r.edge_ns - r.setup_ns - r.unrecorded_ns, s.step_count, s.device_step_count
FROM run_time r
JOIN (SELECT coalesce(sum(NOT x.is_warm_up), 0) AS step_count, count(x.device_ts) AS device_step_count
	FROM step x WHERE x.trace_id = ?1) s
WHERE r.trace_id = ?1;
