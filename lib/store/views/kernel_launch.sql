-- How the kernels of op_kernel were launched, as the profiler recorded it of the first of each.
CREATE VIEW kernel_launch AS
SELECT
	k.rowid AS kernel_id, -- rowid of op_kernel_row
	k.trace_id AS trace_id, -- trace.id
	coalesce(k.capture_id, k.node_id) AS node_id, -- op_tree.id of the launching call, or of the captured one
	k.dur_ns AS dur_ns, -- ns: sum of the durations of all of them
	l.name AS name, -- device operation
	a.args AS args -- JSON text: grid, block, registers per thread, shared memory, blocks per SM, occupancy; NULL when not recorded
FROM op_kernel_row k
JOIN label l ON l.id = k.label_id
LEFT JOIN slice_args a ON a.slice_id = k.slice_id;
