-- One row per thread id seen.
CREATE TABLE thread (
	id INTEGER PRIMARY KEY, -- thread number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	process_id INTEGER NOT NULL REFERENCES process, -- process.id
	tid ANY, -- the tid as the file gives it: integer, or text
	name TEXT, -- from metadata
	sort_index INTEGER, -- display order hint
	utid INTEGER AS (id), -- id, as Perfetto calls it
	upid INTEGER AS (process_id), -- process_id, as Perfetto calls it
	host_thread_id INTEGER REFERENCES thread -- thread.id of the operating-system thread this one records; bridge and synapse logs repeat a host thread under other process ids
) STRICT;
