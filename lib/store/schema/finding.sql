-- Findings at the time of import, with the settings used then.
CREATE TABLE finding (
	id INTEGER PRIMARY KEY, -- position in the ranking, from 1
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	heuristic TEXT NOT NULL, -- id of the heuristic
	title TEXT NOT NULL, -- what is wrong, in one line
	severity TEXT NOT NULL, -- high, medium, low or info
	confidence TEXT NOT NULL, -- measured, inferred or guessed
	gain_ns INTEGER, -- ns: wall time that a fix likely wins back; NULL without an estimate
	gain_low_ns INTEGER, -- ns: lower end of its range
	gain_high_ns INTEGER, -- ns: upper end: a bound
	gain_pct REAL, -- pct of the steady run (steady.wall_ns), at most 100
	sql TEXT NOT NULL -- query that reproduces the evidence
) STRICT;
