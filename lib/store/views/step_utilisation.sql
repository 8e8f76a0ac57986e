-- Model FLOPs utilisation of each step, as in utilisation.
CREATE VIEW step_utilisation AS
WITH rate AS MATERIALIZED (
	SELECT node_id, flops, peak_flops_per_s FROM op_rate WHERE is_matrix AND flops > 0),
work AS MATERIALIZED (
	SELECT p.id AS step_id, total(1.0 * r.flops * o.count) AS flops,
		sum(r.peak_flops_per_s IS NULL) AS unknown_count,
		total(1e9 * r.flops * o.count / r.peak_flops_per_s) AS ideal_ns
	FROM rate r
	CROSS JOIN op_step o ON o.node_id = r.node_id
	CROSS JOIN step p ON p.id BETWEEN o.first_step_id AND o.last_step_id AND +p.trace_id = o.trace_id
	GROUP BY p.id)
SELECT
	s.trace_id AS trace_id, -- trace.id
	s.step_id AS step_id, -- step.id
	s.number AS number, -- step.number
	s.is_warm_up AS is_warm_up, -- step.is_warm_up
	s.ns AS ns, -- ns: step_time.ns
	coalesce(w.flops, 0.0) AS flops, -- FLOPs of matrix products, convolutions and attention, as far as known
	iif(w.unknown_count > 0, NULL, coalesce(w.ideal_ns, 0.0)) AS ideal_ns, -- ns: what they take at the peak
	iif(u.flops_pct IS NULL OR w.unknown_count > 0, NULL,
		100.0 * coalesce(w.ideal_ns, 0.0) / nullif(s.ns, 0) / max(coalesce(d.value, 1), 1)) AS flops_pct -- pct of what all devices could do in that time; NULL where that of utilisation is
FROM step_time s
JOIN utilisation u ON u.trace_id = s.trace_id
LEFT JOIN work w ON w.step_id = s.step_id
LEFT JOIN metric d ON d.trace_id = s.trace_id AND d.name = 'device_count' AND d.step IS NULL;
