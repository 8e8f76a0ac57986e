-- The fixes of a trace that win most together, in the order in which the next one wins most beside those before it; at
-- most five. Those of the rank for which its job waits most (job_rank.late_order is 1) are those of the job: all
-- ranks are replayed together.
CREATE TABLE plan_fix (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	ord INTEGER NOT NULL, -- position, from 1
	fix TEXT NOT NULL, -- whatif.fix
	PRIMARY KEY (trace_id, ord)
) STRICT, WITHOUT ROWID;
