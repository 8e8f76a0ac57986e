-- Which host call launched a device operation, and the step it belongs to. One row stands for a
-- run of device operations whose slice ids follow each other; read it through the view device_op.
CREATE TABLE device_link (
	first_slice_id INTEGER PRIMARY KEY, -- slice.id of the run's first device operation
	last_slice_id INTEGER NOT NULL, -- slice.id of its last
	launch_slice_id INTEGER, -- slice.id of the launching host slice
	step_id INTEGER, -- step.id of the step that launched it; NULL before the first one, and for what was launched before the recording
	method TEXT NOT NULL -- how the launch is known: correlation, flow, recipe or external_id; time when it is not, and the step is the latest that had begun; before_recording when the call was made before the recording began
) STRICT;
