-- Where a slice stands in its thread's call stack; slices on the outermost level have no row.
CREATE TABLE slice_nest (
	slice_id INTEGER PRIMARY KEY, -- slice.id
	depth INTEGER NOT NULL, -- enclosing slices, from 1
	parent_id INTEGER NOT NULL -- slice.id of the innermost enclosing slice
) STRICT;
