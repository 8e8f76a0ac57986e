-- Calls of operators that launched device work themselves, not through an operator that they call, with what they were called with. Work in replays of graphs is left out. Scans the slices.
CREATE VIEW operator_call AS
WITH RECURSIVE operator AS MATERIALIZED (
	SELECT DISTINCT label_id FROM op_tree_row WHERE kind = 'operator'),
launched AS MATERIALIZED (
	SELECT d.launch_slice_id, count(*) AS device_count, sum(max(s.dur, 0)) AS device_ns
	FROM device_link d
	JOIN slice_row s ON s.id BETWEEN d.first_slice_id AND d.last_slice_id
	JOIN lane_label w ON w.track_id = s.track_id AND w.label_id = s.label_id
	WHERE d.launch_slice_id IS NOT NULL
	GROUP BY d.launch_slice_id),
around(slice_id, device_count, device_ns) AS (
	SELECT launch_slice_id, device_count, device_ns FROM launched
	UNION ALL
	SELECT n.parent_id, a.device_count, a.device_ns
	FROM around a
	JOIN slice_row s ON s.id = a.slice_id AND s.label_id NOT IN (SELECT label_id FROM operator)
	JOIN slice_nest n ON n.slice_id = a.slice_id)
SELECT
	t.trace_id AS trace_id, -- trace.id
	c.slice_id AS slice_id, -- slice.id of the call
	l.name AS name, -- operator
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: time on the host
	c.device_count AS device_count, -- device operations it launched
	c.device_ns AS device_ns, -- ns: sum of their durations
	(SELECT j.value FROM json_each(a.args) j WHERE j.key IN ('Input Dims', 'Input dims') AND j.type = 'array' LIMIT 1) AS input_dims, -- JSON list of the inputs' sizes; NULL, as the next three, when not recorded
	(SELECT j.value FROM json_each(a.args) j WHERE j.key IN ('Input type', 'Input Type') AND j.type = 'array' LIMIT 1) AS input_types, -- JSON list of their types
	(SELECT j.value FROM json_each(a.args) j WHERE j.key = 'Input Strides' AND j.type = 'array' LIMIT 1) AS input_strides, -- JSON list of their strides
	(SELECT j.value FROM json_each(a.args) j WHERE j.key = 'Concrete Inputs' AND j.type = 'array' LIMIT 1) AS concrete_inputs -- JSON list of inputs that are numbers
FROM (SELECT slice_id, sum(device_count) AS device_count, sum(device_ns) AS device_ns FROM around GROUP BY slice_id) c
JOIN slice_row s ON s.id = c.slice_id AND s.label_id IN (SELECT label_id FROM operator)
JOIN label l ON l.id = s.label_id
JOIN track t ON t.id = s.track_id
LEFT JOIN slice_args a ON a.slice_id = s.id;
