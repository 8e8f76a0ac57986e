-- The plan: the fixes that were found, in the order of the table finding, at the time of import. One that
-- wins too little beside those before it is left out; what they win together is replayed, not added. That of the
-- rank for which its job waits most (job_rank.late_order is 1) is the plan of the job: all ranks are replayed
-- together.
CREATE TABLE plan (
	trace_id INTEGER NOT NULL, -- trace.id
	ord INTEGER NOT NULL, -- position, from 1
	fix TEXT NOT NULL, -- whatif.fix
	gain_ns INTEGER NOT NULL, -- ns: wall time won with all fixes up to this one, likely
	gain_low_ns INTEGER NOT NULL, -- ns: lower end of its range, which is as wide as those of these fixes, by their gains
	gain_high_ns INTEGER NOT NULL, -- ns: upper end
	step_before_ns INTEGER, -- ns: a steady step as recorded; NULL with fewer than 3 complete steps
	step_after_ns INTEGER, -- ns: a steady step with all fixes up to this one
	limit_piece TEXT, -- last row: critical_path.piece on which the critical path spends most time then
	limit_name TEXT, -- last row: its role or engine
	limit_pct REAL, -- last row: pct of the critical path
	PRIMARY KEY (trace_id, ord)
) STRICT, WITHOUT ROWID;
