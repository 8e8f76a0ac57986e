-- The operator, with the sizes of its inputs, that launched most of the time of the device operations of one name.
CREATE VIEW kernel_operator AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.name AS name, -- device operation
	l.name || coalesce(' ' || replace(a.input_dims, ',[]', ''), '') AS operator -- name, and JSON list of sizes where recorded, without numbers
FROM (
	SELECT k.trace_id, d.name, min(n.op_id) AS op_id,
		row_number() OVER (PARTITION BY k.trace_id, d.name ORDER BY total(k.dur_ns) DESC, min(n.op_id)) AS place
	FROM op_kernel_row k
	JOIN label d ON d.id = k.label_id
	JOIN op_tree_row n ON n.id = coalesce(k.capture_id, k.node_id)
	JOIN op_tree_row o ON o.id = n.op_id
	GROUP BY k.trace_id, d.name, o.label_id, o.shape) m
JOIN op_tree_row t ON t.id = m.op_id
JOIN label l ON l.id = t.label_id
JOIN op_args a ON a.node_id = m.op_id
WHERE m.place = 1;
