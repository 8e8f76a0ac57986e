-- Device operations by the place in the program that launched them, name and lane; use the view
-- op_kernel to read them. All operations with an end are in one row.
CREATE TABLE op_kernel_row (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	node_id INTEGER REFERENCES op_tree_row, -- op_tree_row.id of the launching call; NULL when it is not known
	capture_id INTEGER REFERENCES op_tree_row, -- op_tree_row.id of the call that was captured, for operations of a replayed graph; NULL when it is not known
	label_id INTEGER NOT NULL REFERENCES label, -- label.id
	track_id INTEGER NOT NULL REFERENCES track, -- track.id of the lane
	count INTEGER NOT NULL, -- device operations
	dur_ns INTEGER NOT NULL, -- ns: sum of their durations over lanes
	exclusive_ns INTEGER NOT NULL, -- ns: busy time attributed to them, as in op_total; adds up to the busy time
	min_ns INTEGER NOT NULL, -- ns: shortest
	max_ns INTEGER NOT NULL, -- ns: longest
	slice_id INTEGER NOT NULL REFERENCES slice_row -- slice.id of the first that was launched
) STRICT;
