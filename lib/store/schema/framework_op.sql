-- Framework operations that advice recognizes by their arguments or their order, outermost of their kind. Of matrix
-- products, which are all in framework_shape, only the first and the last of a step on a thread, and the linear layer
-- after a copy.
CREATE TABLE framework_op (
	id INTEGER PRIMARY KEY, -- row number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	slice_id INTEGER NOT NULL REFERENCES slice_row, -- slice.id
	kind TEXT NOT NULL, -- matmul, convolution, embedding, batch_norm, bias_add (of a convolution), bias_sum (of its gradient), check (for NaN or infinity), row_loop (16 or more aten::select in one step, each at most 1 ms after the one before; from the first, which is slice_id, to the end of the last), copy, all_reduce, host_collective (through gloo or MPI), ddp_forward, batch (the loop asks its loader for the next), optimizer_step, backward (the first node of a step, and after each ddp_forward or batch) or printing
	name TEXT NOT NULL, -- slice name
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	thread_id INTEGER NOT NULL REFERENCES thread, -- thread.id of the operating-system thread
	step_id INTEGER REFERENCES step, -- step.id of the step that contains its start; NULL outside of steps
	previous_slice_id INTEGER REFERENCES slice_row, -- slice.id of the framework operation that ended last before it on its track; for a copy within aten::to, before that; for a batch_norm, the convolution before it, skipping additions
	previous TEXT, -- name of the previous operation
	previous_size TEXT, -- copies from the host or without a launch call, with previous_is_host = 1: JSON list, size of what the previous operation made, when recorded
	previous_dur INTEGER, -- ns: for the same copies, duration of the previous operation
	previous_is_host INTEGER NOT NULL, -- 1 when the previous operation made no device call
	launch_count INTEGER NOT NULL, -- launch calls within it
	launch_slice_id INTEGER REFERENCES slice_row, -- slice.id of the launch call within it; NULL unless there is exactly one
	input_copy_count INTEGER NOT NULL, -- copies to the device within it
	device_ns INTEGER, -- ns: copy, bias_add, bias_sum and check: sum of the device work that launch_slice_id launched; NULL when not known
	exclusive_ns INTEGER, -- ns: the same work, each operation weighted with its exclusive share (op_total)
	input_dims TEXT, -- matmul, convolution, batch_norm, copy: JSON list of the inputs' sizes, when recorded
	input_types TEXT, -- JSON list of the inputs' types, when recorded
	sequence_number INTEGER -- autograd's sequence number, recorded when gradients are enabled, in steps without a backward pass or optimizer step; NULL elsewhere
) STRICT;
