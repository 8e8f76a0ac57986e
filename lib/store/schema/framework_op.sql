-- Framework operations that advice tells by their arguments or their order, outermost of their kind. Of matrix products
-- (all in framework_shape) the first and the last of a step on a thread, and the linear layer behind a copy.
CREATE TABLE framework_op (
	id INTEGER PRIMARY KEY, -- row number
	trace_id INTEGER NOT NULL, -- trace.id
	slice_id INTEGER NOT NULL, -- slice.id
	kind TEXT NOT NULL, -- matmul, convolution, batch_norm, bias_add (of a convolution), bias_sum (of its gradient), check (for NaN or infinity), row_loop (16 or more aten::select in one step, each within 1 ms of the one before: from the first, whose slice it is, to the end of the last), copy, all_reduce, host_collective (through gloo or MPI), ddp_forward, optimizer_step, backward (the first node of a step) or printing
	name TEXT NOT NULL, -- slice name
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	thread_id INTEGER NOT NULL, -- thread.id of the operating-system thread
	step_id INTEGER, -- step.id of the step that contains its start; NULL outside of steps
	previous_slice_id INTEGER, -- slice.id of the framework operation that ended last before it on its track; of a copy, before aten::to around it; of a batch_norm, the convolution before it, additions apart
	previous TEXT, -- name of that operation
	previous_size TEXT, -- copies from the host, or without a launch call, behind an operation with previous_is_host: JSON list, size of what it made, when recorded
	previous_dur INTEGER, -- ns: of the same copies, that operation
	previous_is_host INTEGER NOT NULL, -- 1 when that operation asked nothing of a device
	launch_count INTEGER NOT NULL, -- launch calls within it
	launch_slice_id INTEGER, -- slice.id of the launch call within it; NULL unless there is exactly one
	input_copy_count INTEGER NOT NULL, -- copies to the device within it
	device_ns INTEGER, -- ns: copy, bias_add, bias_sum and check: sum of the device work that launch_slice_id launched; NULL when not known
	exclusive_ns INTEGER, -- ns: that work, each piece with the exclusive share of its operation (op_total)
	input_dims TEXT, -- matmul, convolution, batch_norm, copy: JSON list of the inputs' sizes, when recorded
	input_types TEXT, -- JSON list of the inputs' types, when recorded
	sequence_number INTEGER -- autograd's number, recorded where gradients are enabled, in steps without a backward pass or optimizer step; NULL elsewhere
) STRICT;
