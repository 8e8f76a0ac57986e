-- Slices: events with a start and a duration on one track.
CREATE VIEW slice AS
SELECT
	s.id AS id, -- slice number
	t.trace_id AS trace_id, -- trace.id
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration; -1 when the end is not in the file
	s.track_id AS track_id, -- track.id
	l.category AS category, -- cat of the event
	l.name AS name, -- name of the event
	coalesce(n.depth, 0) AS depth, -- enclosing slices on the same thread
	n.parent_id AS parent_id, -- slice.id of the innermost enclosing slice
	(SELECT a.args FROM slice_args a WHERE a.slice_id = s.id) AS args, -- JSON text
	iif(s.args IS NULL, NULL, s.id) AS arg_set_id, -- args.arg_set_id; NULL without args
	l.role AS role, -- what a host slice does: see docs/roles.md
	t.thread_id AS thread_id, -- thread.id
	t.process_id AS process_id -- process.id
FROM slice_row s
JOIN track t ON t.id = s.track_id
JOIN label l ON l.id = s.label_id
LEFT JOIN slice_nest n ON n.slice_id = s.id;
