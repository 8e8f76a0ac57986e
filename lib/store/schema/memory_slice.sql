-- The innermost host slice around each allocator event, on its thread; see the view allocation.
CREATE TABLE memory_slice (
	memory_id INTEGER PRIMARY KEY REFERENCES memory_sample, -- memory_sample.id
	slice_id INTEGER NOT NULL REFERENCES slice_row -- slice.id
) STRICT;
