-- Counters of hardware engines, from the same file.
CREATE TABLE hw_counter (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	source INTEGER NOT NULL REFERENCES side_file, -- side_file.id
	device TEXT, -- device as the file names it
	engine TEXT NOT NULL, -- engine
	name TEXT NOT NULL, -- counter
	ts INTEGER NOT NULL, -- ns: on the profiler's clock
	value REAL NOT NULL -- as the file gives it
) STRICT;
