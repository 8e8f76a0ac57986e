-- Which device operation released a blocking wait of the host: the last to end within the wait of
-- those that were launched, or at work, when it began. Read it through the view host_wait.
CREATE TABLE wait_release (
	slice_id INTEGER PRIMARY KEY, -- slice.id of the host slice that waits
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device of the operation, as in device_op.device
	op_slice_id INTEGER NOT NULL, -- slice.id of the device operation
	op_end INTEGER NOT NULL, -- ns: its end
	launch_slice_id INTEGER -- slice.id of the host call that launched it; NULL when not known
) STRICT;
