-- Top-level members of the file other than the events.
CREATE TABLE trace_meta (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	key TEXT NOT NULL, -- name of the member
	value TEXT NOT NULL -- its JSON text
) STRICT;
