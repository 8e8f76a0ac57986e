-- Device time of operators whose FLOPs and bytes are not known. Kernels within an operator with known work
-- are a part of it.
CREATE VIEW unrated_work AS
WITH RECURSIVE around AS (
	SELECT k.rowid AS kernel_row, coalesce(k.capture_id, k.node_id) AS node_id
	FROM op_kernel_row k
	WHERE k.node_id IS NOT NULL
	UNION ALL
	SELECT a.kernel_row, n.parent_id
	FROM around a
	JOIN op_tree_row n ON n.id = a.node_id AND n.parent_id IS NOT NULL
	WHERE NOT EXISTS (SELECT 1 FROM op_work w WHERE w.node_id = a.node_id AND (w.flops IS NOT NULL OR w.bytes IS NOT NULL))),
rated AS (
	SELECT DISTINCT a.kernel_row
	FROM around a
	JOIN op_work w ON w.node_id = a.node_id AND (w.flops IS NOT NULL OR w.bytes IS NOT NULL))
SELECT
	k.trace_id AS trace_id, -- trace.id
	l.name AS name, -- operator around the launching call; NULL when it is not known
	l.class AS class, -- label.class of the operator
	CAST(total(k.count) AS INTEGER) AS count, -- device operations
	CAST(total(k.dur_ns) AS INTEGER) AS device_ns -- ns: sum of their durations
FROM op_kernel_row k
LEFT JOIN op_tree_row n ON n.id = coalesce(k.capture_id, k.node_id)
LEFT JOIN op_tree_row o ON o.id = n.op_id
LEFT JOIN label l ON l.id = o.label_id
WHERE k.rowid NOT IN (SELECT kernel_row FROM rated)
GROUP BY 1, 2, 3;
