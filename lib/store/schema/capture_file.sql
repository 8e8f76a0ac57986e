-- Files given with --capture: traces in which graphs were captured that run in the traces of the store.
CREATE TABLE capture_file (
	id INTEGER PRIMARY KEY, -- its place among them, from 0
	path TEXT NOT NULL -- path as given: of a trace, a store, or a directory of traces
) STRICT;
