-- Which host call launched a device operation, and the step it belongs to. One row covers a
-- run of device operations with consecutive slice ids; use the view device_op to read it.
CREATE TABLE device_link (
	first_slice_id INTEGER PRIMARY KEY REFERENCES slice_row, -- slice.id of the run's first device operation
	last_slice_id INTEGER NOT NULL REFERENCES slice_row, -- slice.id of its last
	launch_slice_id INTEGER REFERENCES slice_row, -- slice.id of the launching host slice
	step_id INTEGER REFERENCES step, -- step.id of the step that launched it; NULL before the first step, and for work launched before the recording
	method TEXT NOT NULL DEFAULT 'correlation' -- how the launch was matched: correlation, flow, recipe, order (the calls for collectives and the collectives follow in one order) or external_id (of what Kineto records); time when it was not, and the step is the latest that had begun; before_recording when the call was made before the recording began
) STRICT;
