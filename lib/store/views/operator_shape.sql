-- Framework operators by name and the sizes and types of their inputs.
CREATE VIEW operator_shape AS
SELECT
	o.trace_id AS trace_id, -- trace.id
	o.name AS name, -- operator
	o.class AS class, -- label.class
	iif(o.shape IS NULL, NULL, (SELECT j.value FROM json_each(a.args) j WHERE j.key IN ('Input Dims', 'Input dims') AND j.type = 'array' LIMIT 1)) AS input_dims, -- JSON list of the inputs' sizes; NULL when not recorded
	iif(o.shape IS NULL, NULL, (SELECT j.value FROM json_each(a.args) j WHERE j.key IN ('Input type', 'Input Type') AND j.type = 'array' LIMIT 1)) AS input_types, -- JSON list of the inputs' types
	o.shape AS shape, -- op_tree.shape
	o.slice_id AS slice_id, -- slice.id of the first call; NULL when it is in another trace (import --capture)
	o.node_id AS node_id, -- op_tree.id of the first place, whose other arguments op_args has
	o.count AS count, -- calls
	o.host_ns AS host_ns, -- ns: sum of durations, not counting calls within a call of the same name and shape
	o.host_self_ns AS host_self_ns, -- ns: the same without the time of slices within them
	o.device_count AS device_count, -- device operations it launched itself, not through an operator it calls
	o.device_self_ns AS device_self_ns, -- ns: sum of their durations
	o.device_ns AS device_ns, -- ns: the same with those of the operators it calls
	o.backward_ns AS backward_ns, -- ns: host time of its backward pass
	o.backward_device_ns AS backward_device_ns, -- ns: sum of the durations of device operations launched there
	o.self_exclusive_ns AS self_exclusive_ns, -- ns: busy time attributed to the operations of device_self_ns, as in op_total
	o.exclusive_ns AS exclusive_ns, -- ns: the same for those of device_ns
	o.backward_exclusive_ns AS backward_exclusive_ns -- ns: the same for those of backward_device_ns
FROM (SELECT n.trace_id, l.name, min(l.class) AS class, n.shape, min(n.slice_id) AS slice_id, min(n.id) AS node_id, sum(n.count) AS count,
		sum(n.host_ns * n.is_outer_shape) AS host_ns, sum(n.host_self_ns) AS host_self_ns,
		sum(n.device_count) AS device_count, sum(n.device_self_ns) AS device_self_ns,
		sum(n.device_ns * n.is_outer_shape) AS device_ns,
		sum(n.backward_ns * n.is_outer_shape) AS backward_ns,
		sum(n.backward_device_ns * n.is_outer_shape) AS backward_device_ns,
		sum(n.self_exclusive_ns) AS self_exclusive_ns,
		sum(n.exclusive_ns * n.is_outer_shape) AS exclusive_ns,
		sum(n.backward_exclusive_ns * n.is_outer_shape) AS backward_exclusive_ns
	FROM op_tree_row n
	JOIN label l ON l.id = n.label_id
	WHERE n.kind = 'operator'
	GROUP BY n.trace_id, l.name, n.shape) o
JOIN op_args a ON a.node_id = o.node_id;
