-- The same by step, for fixes that win anything.
CREATE TABLE whatif_step (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	fix TEXT NOT NULL, -- whatif.fix
	step_id INTEGER NOT NULL REFERENCES step, -- step.id
	complete_ns INTEGER NOT NULL, -- ns: end of the last work of the step, as recorded
	complete_then_ns INTEGER NOT NULL, -- ns: the same in the replay
	PRIMARY KEY (trace_id, fix, step_id)
) STRICT, WITHOUT ROWID;
