-- Args of the first call at each place of the program.
CREATE VIEW op_args AS
SELECT
	n.id AS node_id, -- op_tree.id
	coalesce(c.args, (SELECT a.args FROM slice_args a WHERE a.slice_id = n.slice_id)) AS args -- JSON text, or NULL
FROM op_tree_row n
LEFT JOIN captured_args c ON c.node_id = n.id;
