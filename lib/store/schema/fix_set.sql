-- What the fixes of plan_fix win together: a row for each set of them. All sets are replayed; nothing is added up.
CREATE TABLE fix_set (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	mask INTEGER NOT NULL, -- the set: 1 << (plan_fix.ord - 1) of each fix, added up; 0 is the recording
	gain_ns INTEGER NOT NULL, -- ns: wall time won, likely
	gain_low_ns INTEGER NOT NULL, -- ns: lower end of its range: all shares at their low end
	gain_high_ns INTEGER NOT NULL, -- ns: upper end: at their high end
	step_before_ns INTEGER, -- ns: a steady step as recorded; NULL with fewer than 3 complete steps
	step_after_ns INTEGER, -- ns: a steady step with these fixes
	PRIMARY KEY (trace_id, mask)
) STRICT, WITHOUT ROWID;
