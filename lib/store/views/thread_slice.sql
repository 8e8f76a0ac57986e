-- Slices of threads and device lanes with the names around them, with the columns of Perfetto's view.
CREATE VIEW thread_slice AS
SELECT
	s.id AS id, -- slice.id
	s.trace_id AS trace_id, -- trace.id
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration; -1 when the end is not in the file
	s.category AS category, -- cat of the event
	s.name AS name, -- name of the event
	s.track_id AS track_id, -- track.id
	t.name AS track_name, -- thread name or lane name
	h.name AS thread_name, -- thread.name
	h.utid AS utid, -- thread.utid
	h.tid AS tid, -- thread.tid
	p.name AS process_name, -- process.name
	p.upid AS upid, -- process.upid
	p.pid AS pid, -- process.pid
	s.depth AS depth, -- enclosing slices on the same thread
	s.parent_id AS parent_id, -- slice.id of the innermost enclosing slice
	s.arg_set_id AS arg_set_id -- args.arg_set_id
FROM slice s
JOIN track t ON t.id = s.track_id AND t.kind IN ('thread', 'lane')
JOIN thread h ON h.id = t.thread_id
JOIN process p ON p.id = h.process_id;
