-- The device operation that released a blocking wait of the host: of those that were launched or
-- running when the wait began, the last to end within it. Use the view host_wait to read it.
CREATE TABLE wait_release (
	slice_id INTEGER PRIMARY KEY REFERENCES slice_row, -- slice.id of the host slice that waits
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT NOT NULL, -- device of the operation, as in device_op.device
	op_slice_id INTEGER NOT NULL REFERENCES slice_row, -- slice.id of the device operation
	op_end INTEGER NOT NULL, -- ns: its end
	launch_slice_id INTEGER REFERENCES slice_row -- slice.id of the host call that launched it; NULL when not known
) STRICT;
