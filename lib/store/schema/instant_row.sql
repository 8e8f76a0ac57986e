-- Instant events.
CREATE TABLE instant_row (
	id INTEGER PRIMARY KEY, -- instant number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	ts INTEGER NOT NULL, -- ns
	track_id INTEGER NOT NULL REFERENCES track, -- track.id
	label_id INTEGER NOT NULL REFERENCES label, -- label.id
	scope TEXT NOT NULL, -- thread, process or global
	args TEXT -- JSON text or NULL
) STRICT;
