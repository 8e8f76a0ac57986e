-- Host slices that matter to advice, outermost of their role: loader calls, copies, compiles,
-- blocking waits, fallbacks, collectives. Operations (dispatch) only where they compute on the CPU what
-- was just copied from a device: 50 us or more, and no call that concerns a device. Optimizer steps are in framework_op.
CREATE TABLE host_event (
	id INTEGER PRIMARY KEY, -- event number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	slice_id INTEGER NOT NULL REFERENCES slice_row, -- slice.id
	role TEXT NOT NULL, -- label.role
	name TEXT NOT NULL, -- slice name
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	thread_id INTEGER NOT NULL REFERENCES thread, -- thread.id of the operating-system thread
	step_id INTEGER REFERENCES step, -- step.id of the step that contains its start; NULL outside of steps
	is_warm_up INTEGER NOT NULL, -- 1 before the second complete step, or in a warm-up step
	exposed_ns INTEGER NOT NULL, -- ns: part of it in which no device works
	idle_after_ns INTEGER NOT NULL, -- ns: device idle from its end until work resumes
	transfer_ns INTEGER NOT NULL, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the next work
	in_copy INTEGER NOT NULL, -- 1 when the framework operation right around it is a copy (aten::to, aten::_to_copy, aten::copy_)
	follows_loader INTEGER NOT NULL, -- 1 when its thread ran no operation but copies since its last loader call
	caller TEXT, -- innermost framework operation around it, such as aten::item
	python TEXT, -- innermost Python frame around it, when stacks were recorded
	detail TEXT -- recipe of a compile, bytes of a copy: JSON text or NULL
) STRICT;
