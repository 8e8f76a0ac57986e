-- The plan: the fixes of plan_fix, each with those before it. Reports show what a fix wins of a steady step, and of the
-- steady run where there are no steps.
CREATE VIEW plan AS
SELECT
	p.trace_id AS trace_id, -- trace.id
	p.ord AS ord, -- position, from 1
	p.fix AS fix, -- whatif.fix
	s.gain_ns AS gain_ns, -- ns: wall time won with all fixes up to this one, likely
	s.gain_low_ns AS gain_low_ns, -- ns: lower end of its range
	s.gain_high_ns AS gain_high_ns, -- ns: upper end
	s.step_before_ns AS step_before_ns, -- ns: a steady step as recorded; NULL with fewer than 3 complete steps
	s.step_after_ns AS step_after_ns, -- ns: a steady step with all fixes up to this one
	t.whole_ns AS whole_ns, -- ns: what the next three are of: the steady step, else the steady run
	t.whole_ns - a.left_ns AS alone_ns, -- ns: what this fix takes off alone
	b.left_ns - t.left_ns AS added_ns, -- ns: what it takes off beside those before it
	t.left_ns AS left_ns, -- ns: what is left with all fixes up to this one
	l.piece AS limit_piece, -- critical_path.piece on which the critical path spends most time with all fixes up to this one; NULL where it was not followed
	l.name AS limit_name, -- its role or engine
	100.0 * l.dur_ns / (SELECT sum(w.dur_ns) FROM fix_set_path w WHERE w.trace_id = p.trace_id AND w.mask = s.mask) AS limit_pct -- pct of the critical path
FROM plan_fix p
JOIN fix_set s ON s.trace_id = p.trace_id AND s.mask = (1 << p.ord) - 1
JOIN fix_set_time t ON t.trace_id = p.trace_id AND t.mask = s.mask
JOIN fix_set_time b ON b.trace_id = p.trace_id AND b.mask = (1 << (p.ord - 1)) - 1
JOIN fix_set_time a ON a.trace_id = p.trace_id AND a.mask = 1 << (p.ord - 1)
LEFT JOIN fix_set_path l ON l.rowid = (SELECT m.rowid FROM fix_set_path m WHERE m.trace_id = p.trace_id AND m.mask = s.mask
	ORDER BY m.dur_ns DESC, m.rowid LIMIT 1);
