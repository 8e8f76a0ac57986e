-- Outermost matrix products by shape.
CREATE TABLE framework_shape (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	kind TEXT NOT NULL, -- matmul
	name TEXT NOT NULL, -- slice name
	input_dims TEXT, -- JSON list of the inputs' sizes, when recorded
	input_types TEXT, -- JSON list of the inputs' types, when recorded
	count INTEGER NOT NULL, -- slices
	dur_ns INTEGER NOT NULL -- ns: sum of their durations
) STRICT;
