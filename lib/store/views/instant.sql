-- Instant events with their names.
CREATE VIEW instant AS
SELECT
	i.id AS id, -- instant number
	i.trace_id AS trace_id, -- trace.id
	i.ts AS ts, -- ns
	i.track_id AS track_id, -- track.id
	l.category AS category, -- cat of the event
	l.name AS name, -- name of the event
	i.scope AS scope, -- thread, process or global
	i.args AS args -- JSON text
FROM instant_row i
JOIN label l ON l.id = i.label_id;
