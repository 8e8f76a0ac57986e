-- How long a steady step takes with each set of fixes, or the steady run where there are no steps.
CREATE VIEW fix_set_time AS
SELECT
	s.trace_id AS trace_id, -- trace.id
	s.mask AS mask, -- fix_set.mask
	coalesce(s.step_before_ns, r.wall_ns) AS whole_ns, -- ns: as recorded
	coalesce(s.step_after_ns, max(r.wall_ns - s.gain_ns, 0)) AS left_ns -- ns: with these fixes
FROM fix_set s
LEFT JOIN steady r ON r.trace_id = s.trace_id;
