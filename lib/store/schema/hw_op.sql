-- Work of hardware engines, from the Gaudi profiler's CSV: BEGIN and END of one engine.
CREATE TABLE hw_op (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	source INTEGER NOT NULL REFERENCES side_file, -- side_file.id
	device TEXT, -- device as the file names it, such as accel0
	engine TEXT NOT NULL, -- engine, such as "[HD0] TPC 5"
	name TEXT NOT NULL, -- node
	ts INTEGER NOT NULL, -- ns: start, on the profiler's clock
	dur INTEGER NOT NULL, -- ns: duration; -1 when the end is not in the file
	recipe TEXT, -- recipe name
	recipe_id INTEGER, -- recipe id
	operation TEXT, -- operation or kernel of the node
	data_type TEXT -- data type
) STRICT;
