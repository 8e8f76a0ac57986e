-- What work of a name is on a lane of a device. Has each name beside each lane: ask for one pair, as in slice_row.
CREATE VIEW lane_label AS
SELECT
	t.id AS track_id, -- track.id
	l.id AS label_id, -- label.id
	t.trace_id AS trace_id, -- trace.id
	t.device AS device, -- as in device_op
	t.lane AS lane, -- as in device_op
	coalesce(iif(t.engine = 'compute', l.task_engine, NULL), t.engine, l.engine) AS engine, -- as in device_op
	coalesce(l.kind, 'other') AS kind, -- as in device_op
	l.direction AS direction, -- as in device_op
	l.category AS category, -- as in device_op
	l.name AS name, -- as in device_op
	l.class AS class, -- label.class
	l.precision AS precision, -- label.precision
	l.collective AS collective -- label.collective
FROM track t
JOIN label l ON t.engine IS NOT NULL OR l.engine IS NOT NULL
WHERE t.device IS NOT NULL;
