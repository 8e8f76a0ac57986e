-- Scheduling states of threads (ph T with a dur), with the columns of Perfetto's table.
CREATE VIEW thread_state AS
SELECT
	s.id AS id, -- slice.id
	t.trace_id AS trace_id, -- trace.id
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns
	t.thread_id AS thread_id, -- thread.id
	t.thread_id AS utid, -- the same, as Perfetto calls it
	l.name AS state, -- Running, R, S, D or another state from the file
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'cpu') AS cpu, -- CPU it ran on; NULL when not recorded
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'io_wait') AS io_wait, -- 1 when it waited for input or output; NULL when not recorded
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'blocked_function') AS blocked_function -- function of the kernel that blocked it; NULL when not recorded
FROM slice_row s
JOIN track t ON t.id = s.track_id AND t.kind = 'thread_state'
JOIN label l ON l.id = s.label_id;
