-- Phases of training. Each moment of a host thread and each device operation counts once.
CREATE VIEW phase_total AS
SELECT
	p.trace_id AS trace_id, -- trace.id
	p.phase AS phase, -- forward, backward, recompute, optimizer, loader or other
	sum(p.count) AS count, -- calls of operators
	sum(p.host_ns) AS host_ns, -- ns: sum of the time of host threads
	sum(p.device_count) AS device_count, -- device operations launched in it
	sum(p.device_ns) AS device_ns, -- ns: sum of their durations
	sum(p.exclusive_ns) AS exclusive_ns -- ns: busy time attributed to them, as in op_total; adds up to the busy time
FROM (SELECT trace_id, coalesce(phase, 'other') AS phase, iif(kind = 'operator', count, 0) AS count,
		host_self_ns AS host_ns, 0 AS device_count, 0 AS device_ns, 0 AS exclusive_ns
	FROM op_tree_row
	UNION ALL
	SELECT k.trace_id, coalesce(n.phase, 'other'), 0, 0, k.count, k.dur_ns, k.exclusive_ns
	FROM op_kernel_row k
	LEFT JOIN op_tree_row n ON n.id = coalesce(k.capture_id, k.node_id)) p
GROUP BY p.trace_id, p.phase;
