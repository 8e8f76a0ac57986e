-- Host slices by the path of slices around them; use the view op_tree to read them. Ids of a trace
-- follow each other, and a row has a higher id than its parent and its forward operator.
CREATE TABLE op_tree_row (
	id INTEGER PRIMARY KEY, -- node number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	parent_id INTEGER REFERENCES op_tree_row, -- op_tree_row.id of the node around it; NULL for the outermost
	depth INTEGER NOT NULL, -- number of nodes above it
	kind TEXT NOT NULL, -- operator (of the framework), module (a call of a torch.nn.Module), range (drawn by record_function() or the framework), python (a Python frame) or call (of a runtime, and all else)
	label_id INTEGER NOT NULL REFERENCES label, -- label.id
	shape INTEGER, -- the same number for inputs of the same sizes and types; NULL when not recorded
	phase TEXT, -- forward, backward, recompute (checkpointing runs forward again), optimizer or loader; NULL for host slices outside of all
	op_id INTEGER REFERENCES op_tree_row, -- op_tree_row.id of the nearest operator, itself or above it
	module_id INTEGER REFERENCES op_tree_row, -- op_tree_row.id of the nearest module, itself or above it; in the backward pass that of the forward operator
	forward_id INTEGER REFERENCES op_tree_row, -- backward pass: op_tree_row.id of the operator that is differentiated
	is_outer INTEGER NOT NULL, -- 1 when no node above it has its category and name
	is_outer_shape INTEGER NOT NULL, -- 1 when no node above it has them and its shape
	slice_id INTEGER REFERENCES slice_row, -- slice.id of the first call; NULL when it is in another trace (import --capture)
	count INTEGER NOT NULL, -- calls on the host, and in replays of graphs that it was captured in
	host_ns INTEGER NOT NULL, -- ns: sum of durations
	host_self_ns INTEGER NOT NULL, -- ns: the same without the time of slices within them
	device_count INTEGER NOT NULL, -- device operations launched in it, but not in a node of its kind below it
	device_self_ns INTEGER NOT NULL, -- ns: sum of their durations
	device_ns INTEGER NOT NULL, -- ns: sum of the durations of all device operations launched in it
	backward_ns INTEGER NOT NULL, -- ns: host time of the backward pass of the operators in it
	backward_device_ns INTEGER NOT NULL, -- ns: sum of the durations of device operations launched there
	self_exclusive_ns INTEGER NOT NULL, -- ns: busy time attributed to the operations of device_self_ns, as in op_total
	exclusive_ns INTEGER NOT NULL, -- ns: the same for those of device_ns
	backward_exclusive_ns INTEGER NOT NULL -- ns: the same for those of backward_device_ns
) STRICT;
