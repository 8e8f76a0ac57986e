-- What the critical path is made of with a set of fixes: of the recording, with the first fix of plan_fix, with the
-- first two, and with all of them; of a job with all of them alone. Sets without rows were replayed for their gain alone.
CREATE TABLE fix_set_path (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	mask INTEGER NOT NULL, -- fix_set.mask
	piece TEXT NOT NULL, -- critical_path.piece
	name TEXT, -- role of host work, engine of device work
	dur_ns INTEGER NOT NULL -- ns
) STRICT;
