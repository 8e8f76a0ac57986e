-- Instant events.
CREATE TABLE instant_row (
	id INTEGER PRIMARY KEY, -- instant number
	trace_id INTEGER NOT NULL, -- trace.id
	ts INTEGER NOT NULL, -- ns
	track_id INTEGER NOT NULL, -- track.id
	label_id INTEGER NOT NULL, -- label.id
	scope TEXT NOT NULL, -- thread, process or global
	args TEXT -- JSON text or NULL
) STRICT;
