-- The fix that the plan of a trace leads to: what its check found wins too little alone, because other work hides it,
-- but with all fixes of plan_fix it wins time. The one that wins most then; none where that is less than a twentieth of what is
-- left.
CREATE TABLE next_fix (
	trace_id INTEGER PRIMARY KEY, -- trace.id
	fix TEXT NOT NULL, -- heuristic id
	gain_ns INTEGER NOT NULL, -- ns: wall time won with it and all fixes of plan_fix, likely
	step_after_ns INTEGER -- ns: a steady step then; NULL with fewer than 3 complete steps
) STRICT;
