-- The fixes that were found and are not in the plan of their trace: what each wins beside all of it.
CREATE TABLE plan_rest (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	ord INTEGER NOT NULL, -- position, from 1: the largest gain alone first
	fix TEXT NOT NULL, -- whatif.fix
	added_ns INTEGER NOT NULL, -- ns: what it takes off beside the plan, of a steady step, without steps of the steady run; 0: the plan leaves it nothing to win
	PRIMARY KEY (trace_id, ord)
) STRICT, WITHOUT ROWID;
