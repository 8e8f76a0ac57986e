-- The run that thresholds are shares of, worked out once: two dozen heuristics join it. ?1 is the trace.
INSERT INTO steady (trace_id, wall_ns, gain_wall_ns, step_count, device_step_count)
SELECT r.trace_id, r.wall_ns, r.wall_ns - r.first_excess_ns, s.step_count, s.device_step_count
FROM (SELECT trace_id, wall_ns - warm_up_ns - edge_ns - setup_ns - unrecorded_ns AS wall_ns, first_excess_ns
	FROM run_time WHERE trace_id = ?1) r
JOIN (SELECT coalesce(sum(NOT x.is_warm_up), 0) AS step_count, count(x.device_ts) AS device_step_count
	FROM counted_step x WHERE x.trace_id = ?1) s;
