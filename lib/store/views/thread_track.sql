-- Tracks of threads and device lanes, with the columns of Perfetto's table. See docs/perfetto.md.
CREATE VIEW thread_track AS
SELECT
	t.id AS id, -- track.id
	t.trace_id AS trace_id, -- trace.id
	t.name AS name, -- thread name or lane name
	t.thread_id AS utid -- thread.utid
FROM track t
WHERE t.kind IN ('thread', 'lane');
