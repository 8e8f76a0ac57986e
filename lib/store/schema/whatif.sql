-- What each fix wins: the recording replayed without the defect. One row per heuristic that says which
-- edit mends it, and per trace; see docs/gain.md.
CREATE TABLE whatif (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	fix TEXT NOT NULL, -- id of the heuristic
	edit TEXT NOT NULL, -- what was changed, see docs/edits.md
	gain_ns INTEGER NOT NULL, -- ns: won of the steady run, likely; 0 where the edit changes nothing, or nothing waits for what it changes
	step_before_ns INTEGER, -- ns: a steady step as recorded; NULL with fewer than 3 complete steps, or when nothing is changed
	step_after_ns INTEGER, -- ns: the same in the replay
	removed_ns INTEGER NOT NULL, -- ns: host time, device work and waits that the edit takes away; gain_ns is not more, but for steps whose work is not in the recording, and where launches wait less for places in queues
	gain_low_ns INTEGER NOT NULL, -- ns: lower end of its range: shares that no trace can tell at their ends, steps that vary, the error of the replay
	gain_high_ns INTEGER NOT NULL, -- ns: upper end
	PRIMARY KEY (trace_id, fix)
) STRICT, WITHOUT ROWID;
