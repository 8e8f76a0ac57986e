-- Args of operators that a graph was captured from in another trace (import --capture); use the view op_args.
CREATE TABLE captured_args (
	node_id INTEGER PRIMARY KEY REFERENCES op_tree_row, -- op_tree.id
	args TEXT NOT NULL -- JSON text of the first call there
) STRICT;
