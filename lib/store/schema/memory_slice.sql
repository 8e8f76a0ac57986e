-- The innermost host slice around each allocator event, on its thread; see the view allocation.
CREATE TABLE memory_slice (
	memory_id INTEGER PRIMARY KEY, -- memory_sample.id
	slice_id INTEGER NOT NULL -- slice.id
) STRICT;
