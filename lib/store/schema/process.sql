-- One row per process id seen.
CREATE TABLE process (
	id INTEGER PRIMARY KEY, -- process number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	pid ANY, -- the pid as the file gives it: integer, or text
	upid INTEGER AS (id), -- id, as Perfetto calls it
	name TEXT, -- from metadata; the pid itself when it is text
	labels TEXT, -- from metadata
	sort_index INTEGER -- display order hint
) STRICT;
