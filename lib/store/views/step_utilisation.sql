-- Model FLOPs utilisation of each step, as in utilisation.
CREATE VIEW step_utilisation AS
WITH rate AS MATERIALIZED (
	SELECT node_id, flops, peak_flops_per_s FROM op_rate WHERE is_matrix AND flops > 0)
SELECT
	s.trace_id AS trace_id, -- trace.id
	s.step_id AS step_id, -- step.id
	s.number AS number, -- step.number
	s.is_warm_up AS is_warm_up, -- step.is_warm_up
	s.ns AS ns, -- ns: step_time.ns
	total(1.0 * r.flops * o.count) AS flops, -- FLOPs of matrix products, convolutions and attention, as far as known
	iif(sum(r.node_id IS NOT NULL AND r.peak_flops_per_s IS NULL) > 0, NULL, total(1e9 * r.flops * o.count / r.peak_flops_per_s)) AS ideal_ns, -- ns: what they take at the peak
	iif(u.flops_pct IS NULL OR sum(r.node_id IS NOT NULL AND r.peak_flops_per_s IS NULL) > 0, NULL,
		100.0 * total(1e9 * r.flops * o.count / r.peak_flops_per_s) / nullif(s.ns, 0) / max(coalesce(d.value, 1), 1)) AS flops_pct -- pct of what all devices could do in that time; NULL where that of utilisation is
FROM step_time s
JOIN utilisation u ON u.trace_id = s.trace_id
LEFT JOIN op_step o ON o.trace_id = s.trace_id AND s.step_id BETWEEN o.first_step_id AND o.last_step_id
LEFT JOIN rate r ON r.node_id = o.node_id
LEFT JOIN metric d ON d.trace_id = s.trace_id AND d.name = 'device_count' AND d.step IS NULL
GROUP BY s.trace_id, s.step_id;
