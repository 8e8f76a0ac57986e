-- Position of a slice in its thread's call stack; outermost slices have no row.
CREATE TABLE slice_nest (
	slice_id INTEGER PRIMARY KEY REFERENCES slice_row, -- slice.id
	depth INTEGER NOT NULL, -- number of enclosing slices, from 1
	parent_id INTEGER NOT NULL REFERENCES slice_row -- slice.id of the innermost enclosing slice
) STRICT;
