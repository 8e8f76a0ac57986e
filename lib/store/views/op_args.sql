-- Args of the first call at each place of the program.
CREATE VIEW op_args AS
SELECT
	r.node_id AS node_id, -- op_tree.id
	r.args AS args, -- JSON text, or NULL
	(SELECT j.value FROM json_each(r.args) j WHERE j.key IN ('Input Dims', 'Input dims') AND j.type = 'array' LIMIT 1) AS input_dims -- JSON list of the inputs' sizes; NULL when not recorded
FROM (
	SELECT n.id AS node_id, coalesce(c.args, (SELECT a.args FROM slice_args a WHERE a.slice_id = n.slice_id)) AS args
	FROM op_tree_row n
	LEFT JOIN captured_args c ON c.node_id = n.id) r;
