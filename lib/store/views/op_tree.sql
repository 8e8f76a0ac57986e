-- The operator tree: host slices by the path of slices around them. All calls of one operator with
-- inputs of one shape in one place of the program are a row. Steps (step) are no part of it.
CREATE VIEW op_tree AS
SELECT
	n.id AS id, -- node number
	n.trace_id AS trace_id, -- trace.id
	n.parent_id AS parent_id, -- op_tree.id of the node around it; NULL for the outermost
	n.depth AS depth, -- number of nodes above it
	n.kind AS kind, -- operator (of the framework), module (a call of a torch.nn.Module), range (drawn by record_function() or the framework), python (a Python frame) or call (of a runtime, and all else)
	l.category AS category, -- cat of its slices
	l.name AS name, -- their name
	l.class AS class, -- label.class
	n.shape AS shape, -- the same number for inputs of the same sizes and types; NULL when not recorded
	n.phase AS phase, -- forward, backward, recompute (checkpointing runs forward again), optimizer or loader; NULL for host slices outside of all
	n.op_id AS op_id, -- op_tree.id of the nearest operator, itself or above it
	n.module_id AS module_id, -- op_tree.id of the nearest module, itself or above it; in the backward pass that of the forward operator
	n.forward_id AS forward_id, -- backward pass: op_tree.id of the operator that is differentiated, by autograd's sequence number
	n.is_outer AS is_outer, -- 1 when no node above it has its category and name: what adds up over a name
	n.is_outer_shape AS is_outer_shape, -- 1 when no node above it has them and its shape
	n.slice_id AS slice_id, -- slice.id of the first call; NULL when it is in another trace (import --capture)
	n.count AS count, -- calls on the host, and in replays of graphs that it was captured in
	n.host_ns AS host_ns, -- ns: sum of durations
	n.host_self_ns AS host_self_ns, -- ns: the same without the time of slices within them
	n.device_count AS device_count, -- device operations launched in it, but not in a node of its kind below it
	n.device_self_ns AS device_self_ns, -- ns: sum of their durations
	n.device_ns AS device_ns, -- ns: sum of the durations of all device operations launched in it
	n.backward_ns AS backward_ns, -- ns: host time of the backward pass of the operators in it
	n.backward_device_ns AS backward_device_ns, -- ns: sum of the durations of device operations launched there
	n.self_exclusive_ns AS self_exclusive_ns, -- ns: busy time attributed to the operations of device_self_ns, as in op_total
	n.exclusive_ns AS exclusive_ns, -- ns: the same for those of device_ns
	n.backward_exclusive_ns AS backward_exclusive_ns -- ns: the same for those of backward_device_ns
FROM op_tree_row n
JOIN label l ON l.id = n.label_id;
