-- Counter values; one row per member of the event's args.
CREATE TABLE counter (
	id INTEGER PRIMARY KEY, -- sample number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	ts INTEGER NOT NULL, -- ns
	process_id INTEGER REFERENCES process, -- process.id
	name TEXT NOT NULL, -- event name, id and member as "name key" or "name id: X key"
	value REAL NOT NULL -- as the file gives it
) STRICT;
