-- What is left of a steady step, or of the steady run, with all fixes of the plan and that of next_fix.
CREATE VIEW plan_next AS
SELECT
	n.trace_id AS trace_id, -- trace.id
	n.fix AS fix, -- next_fix.fix
	n.gain_ns AS gain_ns, -- next_fix.gain_ns
	t.left_ns AS before_ns, -- ns: with the fixes of the plan
	coalesce(n.step_after_ns, max(t.whole_ns - n.gain_ns, 0)) AS left_ns, -- ns: with the next one
	n.step_after_ns IS NOT NULL AS is_step -- whether both are of a steady step
FROM next_fix n
JOIN (SELECT trace_id, max(mask) AS mask FROM fix_set GROUP BY trace_id) m ON m.trace_id = n.trace_id
JOIN fix_set_time t ON t.trace_id = n.trace_id AND t.mask = m.mask;
