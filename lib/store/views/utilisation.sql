-- Model FLOPs utilisation: the time that the matrix products, convolutions and attention of the steps take
-- at the peak of the device, as a share of the steps.
CREATE VIEW utilisation AS
SELECT
	t.id AS trace_id, -- trace.id
	s.step_count AS step_count, -- complete steps
	s.step_ns AS step_ns, -- ns: their times (step_time) together
	w.flops AS flops, -- FLOPs of these operators in the steps, as far as known
	w.ideal_ns AS ideal_ns, -- ns: what they take at the peak
	iif(w.device_ns * 10 < k.matrix_ns * 9, NULL, 100.0 * w.ideal_ns / s.step_ns / max(coalesce(d.value, 1), 1)) AS flops_pct, -- pct of what all devices could do in that time; NULL when the peak of some is not known, and when known_pct is less than nine tenths of matrix_pct
	100.0 * w.device_ns / nullif(k.dur_ns, 0) AS known_pct, -- pct of all device time that is of such operators with known FLOPs
	100.0 * k.matrix_ns / nullif(k.dur_ns, 0) AS matrix_pct -- pct of all device time that is of such kernels, by their names
FROM trace t
JOIN (SELECT p.trace_id, count(*) AS step_count, total(p.ns) AS step_ns FROM step_time p GROUP BY p.trace_id) s ON s.trace_id = t.id
JOIN (SELECT r.trace_id, total(1.0 * r.flops * r.step_count) AS flops,
		iif(sum(r.flops * r.step_count > 0 AND r.peak_flops_per_s IS NULL) > 0, NULL, total(1e9 * r.flops * r.step_count / r.peak_flops_per_s)) AS ideal_ns,
		total(iif(r.flops IS NULL, 0, r.device_ns)) AS device_ns
	FROM op_rate r
	WHERE r.is_matrix
	GROUP BY r.trace_id) w ON w.trace_id = t.id
LEFT JOIN (SELECT k.trace_id, total(k.dur_ns) AS dur_ns,
		total(iif(l.class IN ('matrix', 'convolution', 'attention'), k.dur_ns, 0)) AS matrix_ns
	FROM op_kernel_row k
	JOIN label l ON l.id = k.label_id
	GROUP BY k.trace_id) k ON k.trace_id = t.id
LEFT JOIN metric d ON d.trace_id = t.id AND d.name = 'device_count' AND d.step IS NULL;
