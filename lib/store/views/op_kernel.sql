-- Device operations by the operator and module that launched them, name and lane. All operations with
-- an end are in one row.
CREATE VIEW op_kernel AS
SELECT
	k.trace_id AS trace_id, -- trace.id
	ol.name AS operator, -- innermost operator around the launching call, or the captured one; NULL when it is not known
	ol.class AS operator_class, -- label.class of the operator
	o.shape AS shape, -- op_tree.shape of the operator
	o.id AS op_id, -- op_tree.id of the operator
	ml.name AS module, -- innermost module around the call; in the backward pass that of the forward operator
	nl.name AS call, -- launching call; NULL when it is not known
	cl.name AS captured_call, -- replayed graphs: the call that was captured, whose operator and module this is; NULL when the trace does not show it
	coalesce(c.phase, n.phase) AS phase, -- op_tree.phase of the call
	w.device AS device, -- as in device_op
	w.lane AS lane, -- as in device_op
	w.category AS category, -- as in device_op
	w.name AS name, -- device operation
	w.engine AS engine, -- as in device_op
	w.kind AS kind, -- as in device_op
	w.direction AS direction, -- as in device_op
	w.class AS class, -- label.class
	w.precision AS precision, -- label.precision
	k.count AS count, -- device operations
	k.dur_ns AS dur_ns, -- ns: sum of their durations over lanes
	k.exclusive_ns AS exclusive_ns, -- ns: busy time attributed to them, as in op_total; adds up to the busy time
	k.min_ns AS min_ns, -- ns: shortest
	k.max_ns AS max_ns -- ns: longest
FROM op_kernel_row k
JOIN lane_label w ON w.track_id = k.track_id AND w.label_id = k.label_id
LEFT JOIN op_tree_row n ON n.id = k.node_id
LEFT JOIN label nl ON nl.id = n.label_id
LEFT JOIN op_tree_row c ON c.id = k.capture_id
LEFT JOIN label cl ON cl.id = c.label_id
LEFT JOIN op_tree_row o ON o.id = iif(c.id IS NULL, n.op_id, c.op_id)
LEFT JOIN label ol ON ol.id = o.label_id
LEFT JOIN op_tree_row m ON m.id = iif(c.id IS NULL, n.module_id, c.module_id)
LEFT JOIN label ml ON ml.id = m.label_id;
