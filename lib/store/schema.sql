-- Version 9 of the public schema of a tracecoach store. One line of comment per column: unit or
-- domain, then meaning; docs/schema.md is generated from this file. Times are integer nanoseconds
-- as the file says them; intervals are half-open [ts, ts + dur). Tables first, views after.
-- From Perfetto's tables come the names of slice (id, ts, dur, track_id, category, name, depth,
-- parent_id) and flow (slice_out, slice_in), with the meaning that they have there; a dur of -1 is a
-- slice without an end there, too. All other tables and columns are tracecoach's own.

-- One row per imported trace file.
CREATE TABLE trace (
	id INTEGER PRIMARY KEY, -- trace number, from 0 in the order of import
	path TEXT NOT NULL, -- the file as it was named
	format TEXT NOT NULL, -- gaudi-lazy, gaudi-kineto, kineto, synapse-log or trace-event
	form TEXT NOT NULL, -- object, array or lines
	vendor TEXT, -- gaudi, cuda, rocm, xpu, mtia, ascend, tpu, musa, mlu, gcu, aiu, rbln; NULL when no device work tells
	rank INTEGER, -- rank in the job; NULL when the file does not say
	world_size INTEGER, -- ranks in the job; NULL when the file does not say
	backend TEXT, -- collective backend (nccl, hccl, gloo); NULL when the file does not say
	device_name TEXT, -- name of the first device in deviceProperties
	device_memory_bytes INTEGER, -- bytes: its memory capacity; NULL when not said
	base_time_ns INTEGER, -- ns: baseTimeNanoseconds of the file, not added to ts
	start_ns INTEGER, -- ns: start of the first slice with a duration; NULL without slices
	end_ns INTEGER, -- ns: end of the last slice
	read_bytes INTEGER NOT NULL, -- bytes: size of the decompressed input
	event_count INTEGER NOT NULL, -- events decoded
	architecture TEXT -- generation of the first device, where advice asks for it: kepler, maxwell, pascal, volta, turing, turing_gtx (without tensor cores), ampere, ada, hopper, blackwell, cdna1, cdna2, cdna3; where neither compute capability nor name says it, the newest that a kernel was made for, and the device may be newer; NULL for others
) STRICT;

-- Inputs that were given and are not in the store, because nothing of them could be used or the
-- import of one failed; nothing else in the store is from them.
CREATE TABLE left_out (
	id INTEGER PRIMARY KEY, -- place among the inputs given, from 0
	path TEXT NOT NULL, -- the file as it was named
	reason TEXT NOT NULL -- why, with the file's name
) STRICT;

-- Peaks of the trace's device where its name is known; see lib/model/hardware.def.
CREATE TABLE device_peak (
	trace_id INTEGER NOT NULL, -- trace.id
	device_name TEXT NOT NULL, -- as in trace.device_name
	mme_lane_count INTEGER, -- MME lanes a trace shows; NULL when not known
	tpc_lane_count INTEGER, -- TPC lanes
	bf16_tflops REAL, -- peak of the matrix engines in bf16, in TFLOPS
	fp8_tflops REAL, -- the same in fp8; NULL where there is none
	hbm_bytes REAL, -- bytes: device memory by the data sheet
	hbm_bytes_per_s REAL, -- its peak bandwidth in bytes per second
	source TEXT NOT NULL -- where the figures come from
) STRICT;

-- Top-level members of the file beside the events.
CREATE TABLE trace_meta (
	trace_id INTEGER NOT NULL, -- trace.id
	key TEXT NOT NULL, -- name of the member
	value TEXT NOT NULL -- its JSON text
) STRICT;

-- One row per process id seen.
CREATE TABLE process (
	id INTEGER PRIMARY KEY, -- process number
	trace_id INTEGER NOT NULL, -- trace.id
	pid ANY, -- the pid as the file gives it: integer, or text
	name TEXT, -- from metadata; the pid itself when it is text
	labels TEXT, -- from metadata
	sort_index INTEGER -- display order hint
) STRICT;

-- One row per thread id seen.
CREATE TABLE thread (
	id INTEGER PRIMARY KEY, -- thread number
	trace_id INTEGER NOT NULL, -- trace.id
	process_id INTEGER NOT NULL, -- process.id
	tid ANY, -- the tid as the file gives it: integer, or text
	name TEXT, -- from metadata
	sort_index INTEGER, -- display order hint
	host_thread_id INTEGER -- thread.id of the operating-system thread this one records; bridge and synapse logs repeat a host thread under other process ids
) STRICT;

-- A line of the timeline: slices of one track are on one thread, one device lane or one async id.
CREATE TABLE track (
	id INTEGER PRIMARY KEY, -- track number
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- thread, lane, async, or thread_state for what a scheduler did with a thread
	process_id INTEGER, -- process.id
	thread_id INTEGER, -- thread.id; NULL for async tracks
	name TEXT, -- thread name, lane name or async name
	device TEXT, -- the device of a lane: args.device, else the pid; NULL on the host
	engine TEXT, -- Gaudi lanes: mme, tpc, dma, nic, other; NULL elsewhere (see label.engine)
	lane TEXT -- name of the lane within its device, such as "TPC 3" or "stream 7"
) STRICT;

-- Each distinct pair of category and name, with what it means.
CREATE TABLE label (
	id INTEGER PRIMARY KEY, -- label number
	category TEXT, -- cat of the event; NULL when absent
	name TEXT, -- name of the event; NULL when absent
	role TEXT, -- what a host slice of this label does: see docs/roles.md; NULL for none
	engine TEXT, -- device work told by category: compute, copy or communication; NULL for none
	task_engine TEXT, -- engine of a task of this name on a lane of engine compute, which runs all kinds (Ascend streams); NULL: that of the lane
	kind TEXT, -- device work: kernel, memcpy, memset or other; NULL for host labels
	direction TEXT, -- copies: HtoD, DtoH, DtoD, PtoP, HtoH; NULL when not said
	class TEXT, -- what work of that name is, on host and device: see docs/names.md; NULL when the name does not say
	precision TEXT NOT NULL DEFAULT 'unknown', -- device work: fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 or other; unknown when the name does not say
	collective TEXT, -- communication: all_reduce, all_gather, ...: see docs/names.md; NULL for what is none
	phase TEXT, -- backward or optimizer: what only training has; NULL for the rest
	mark TEXT -- what else advice asks of the name: see docs/names.md; NULL for none
) STRICT;

-- Slices as written; read them through the views slice and device_op.
CREATE TABLE slice_row (
	id INTEGER PRIMARY KEY, -- slice number, in the order of the file
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration; -1 when the end is not in the file
	track_id INTEGER NOT NULL, -- track.id
	label_id INTEGER NOT NULL, -- label.id
	args ANY, -- JSON text, or args_form.id of its form, or NULL
	numbers INTEGER -- numbers that the form leaves out, args_form.bits each, the first one lowest; NULL when it leaves out none
) STRICT;

-- Args that more than one slice has, but for numbers of the single event; read them through slice_args.
CREATE TABLE args_form (
	id INTEGER PRIMARY KEY, -- number of the form
	pattern TEXT NOT NULL, -- for printf(): %d where the numbers of slice_row go
	bits INTEGER NOT NULL -- bits of a number in slice_row.numbers
) STRICT;

-- Where a slice stands in its thread's call stack; slices on the outermost level have no row.
CREATE TABLE slice_nest (
	slice_id INTEGER PRIMARY KEY, -- slice.id
	depth INTEGER NOT NULL, -- enclosing slices, from 1
	parent_id INTEGER NOT NULL -- slice.id of the innermost enclosing slice
) STRICT;

-- Which host call launched a device operation, and the step it belongs to. One row stands for a
-- run of device operations whose slice ids follow each other; read it through the view device_op.
CREATE TABLE device_link (
	first_slice_id INTEGER PRIMARY KEY, -- slice.id of the run's first device operation
	last_slice_id INTEGER NOT NULL, -- slice.id of its last
	launch_slice_id INTEGER, -- slice.id of the launching host slice
	step_id INTEGER, -- step.id of the step that launched it; NULL before the first one, and for what was launched before the recording
	method TEXT NOT NULL -- how the launch is known: correlation, flow, recipe or external_id; time when it is not, and the step is the latest that had begun; before_recording when the call was made before the recording began
) STRICT;

-- Instant events.
CREATE TABLE instant_row (
	id INTEGER PRIMARY KEY, -- instant number
	trace_id INTEGER NOT NULL, -- trace.id
	ts INTEGER NOT NULL, -- ns
	track_id INTEGER NOT NULL, -- track.id
	label_id INTEGER NOT NULL, -- label.id
	scope TEXT NOT NULL, -- thread, process or global
	args TEXT -- JSON text or NULL
) STRICT;

-- Counter values; one row per member of the event's args.
CREATE TABLE counter (
	id INTEGER PRIMARY KEY, -- sample number
	trace_id INTEGER NOT NULL, -- trace.id
	ts INTEGER NOT NULL, -- ns
	process_id INTEGER, -- process.id
	name TEXT NOT NULL, -- event name, id and member as "name key" or "name id: X key"
	value REAL NOT NULL -- as the file gives it
) STRICT;

-- Arrows as written; read them through the view flow.
CREATE TABLE flow_row (
	id INTEGER PRIMARY KEY, -- arrow number
	trace_id INTEGER NOT NULL, -- trace.id
	label_id INTEGER NOT NULL, -- label.id of the flow's events
	slice_out INTEGER NOT NULL, -- slice.id the arrow leaves
	slice_in INTEGER NOT NULL -- slice.id the arrow reaches
) STRICT;

-- Allocator events ("[memory]" instants) with their totals.
CREATE TABLE memory_sample (
	id INTEGER PRIMARY KEY, -- sample number
	trace_id INTEGER NOT NULL, -- trace.id
	ts INTEGER NOT NULL, -- ns
	device_type INTEGER, -- 0 is the CPU, anything else a device, as PyTorch numbers them
	device_id INTEGER, -- index of the device, -1 for the CPU
	addr ANY, -- address, integer or text
	bytes INTEGER, -- bytes: positive for an allocation, negative for a free
	total_allocated_bytes INTEGER, -- bytes in use after it
	total_reserved_bytes INTEGER, -- bytes reserved after it
	thread_id INTEGER NOT NULL -- thread.id of the thread that asked for it
) STRICT;

-- The innermost host slice around each allocator event, on its thread; see the view allocation.
CREATE TABLE memory_slice (
	memory_id INTEGER PRIMARY KEY, -- memory_sample.id
	slice_id INTEGER NOT NULL -- slice.id
) STRICT;

-- Training or inference steps: the host's ProfilerStep#N slices.
CREATE TABLE step (
	id INTEGER PRIMARY KEY, -- step index over all traces of the store
	trace_id INTEGER NOT NULL, -- trace.id
	number INTEGER NOT NULL, -- N of ProfilerStep#N; the order, from 0, where two have one number
	name TEXT NOT NULL, -- name of the slice
	ts INTEGER NOT NULL, -- ns: start on the host
	dur INTEGER NOT NULL, -- ns: duration on the host
	slice_id INTEGER NOT NULL, -- slice.id
	device_ts INTEGER, -- ns: start of the first device operation the step launched; NULL without any
	device_dur INTEGER, -- ns: to the end of its last device operation
	is_warm_up INTEGER NOT NULL -- 1 for a first step at least twice the median of the others
) STRICT;

-- Every number the reports print. step is the step's number, NULL for the whole trace; device is
-- NULL for the run as a whole or the host.
CREATE TABLE metric (
	trace_id INTEGER NOT NULL, -- trace.id
	name TEXT NOT NULL, -- see docs/metrics.md
	device TEXT, -- device, as in device_op.device
	step INTEGER, -- step.number
	value ANY NOT NULL, -- integer for ns, bytes and counts; real for ratios and percentages
	unit TEXT NOT NULL -- ns, bytes, count, pct or ratio
) STRICT;

-- Device idle time, each row with one cause; the rows of a device add up to its device_idle_ns.
-- Gaps shorter than 10 us are summed up, one row per device, step and cause.
CREATE TABLE gap (
	id INTEGER PRIMARY KEY, -- gap number
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	step_id INTEGER, -- step.id of the step that waits (the one that launches the next work)
	ts INTEGER NOT NULL, -- ns: start of the cause; of the first one for summed rows
	dur INTEGER NOT NULL, -- ns
	cause TEXT NOT NULL, -- see docs/gaps.md: dataloader, input_copy, compile, setup, graph_build, dispatch, launch, sync, cpu_fallback, output_copy, collective, host_other, queued, unknown
	host_slice_id INTEGER, -- slice.id of the host slice that fills most of it
	next_launch_slice_id INTEGER, -- slice.id of the host call that launched the work which ends the gap
	launch_delay_ns INTEGER, -- ns: from that call's start to the start of its work
	count INTEGER NOT NULL, -- gaps in the row: 1, or more for summed rows
	gap_ts INTEGER, -- ns: start of the whole gap, which may have a row per cause; NULL for summed rows
	gap_dur INTEGER, -- ns: the whole gap
	is_hole INTEGER NOT NULL -- 1 within one launch of a graph: operations are missing there, so that it is not known to be idle (cause unknown)
) STRICT;

-- Times in which devices do nothing but copy between host and device, and no collective runs; the
-- rows add up to exposed_transfer_ns of all devices together. Rows shorter than 10 us are summed
-- up, one per step.
CREATE TABLE exposed_transfer (
	id INTEGER PRIMARY KEY, -- number
	trace_id INTEGER NOT NULL, -- trace.id
	step_id INTEGER, -- step.id of the host step that contains its start; NULL outside of steps
	ts INTEGER NOT NULL, -- ns: start; of the first one for summed rows
	dur INTEGER NOT NULL, -- ns
	late_ns INTEGER NOT NULL, -- ns: part of it before the host began to launch the work that follows; all where that launch is not known, 0 where nothing follows
	count INTEGER NOT NULL -- times in the row: 1, or more for summed rows
) STRICT;

-- Device time by operation name.
CREATE TABLE op_total (
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	category TEXT, -- as in device_op
	name TEXT, -- operation
	engine TEXT NOT NULL, -- as in device_op
	kind TEXT NOT NULL, -- as in device_op
	data_type TEXT, -- args.dataType on Gaudi; NULL when not said
	count INTEGER NOT NULL, -- operations, those without an end apart
	dur_ns INTEGER NOT NULL, -- ns: sum of durations over lanes
	exclusive_ns INTEGER NOT NULL, -- ns: time in which this operation alone keeps the device busy or its engine has priority (mme > tpc > dma; compute > communication > copy; what only waits, mark device_wait, comes last); adds up to the busy time
	min_ns INTEGER NOT NULL, -- ns: shortest
	max_ns INTEGER NOT NULL, -- ns: longest
	class TEXT, -- label.class
	precision TEXT NOT NULL DEFAULT 'unknown', -- that of data_type, else label.precision
	collective TEXT, -- label.collective
	phase TEXT, -- label.phase
	mark TEXT -- label.mark
) STRICT;

CREATE INDEX op_total_by_device ON op_total(trace_id, device);

-- Device time by lane or stream, of those that did work.
CREATE TABLE lane_total (
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	engine TEXT, -- as in device_op; NULL when the lane ran operations of several engines
	lane TEXT, -- name of the lane, such as "TPC 3" or "stream 7"
	track_id INTEGER NOT NULL, -- track.id
	op_count INTEGER NOT NULL, -- operations, those without an end apart
	busy_ns INTEGER NOT NULL -- ns: union of the lane's operations; lanes overlap, so sums over lanes may exceed the device's busy time
) STRICT;

CREATE INDEX lane_total_by_device ON lane_total(trace_id, device);

-- Device time by recipe (a compiled graph of Gaudi); empty for devices whose operations name none.
CREATE TABLE recipe_total (
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	recipe TEXT, -- "name #id", or "#id" without a name; NULL for work that names no recipe
	op_count INTEGER NOT NULL, -- operations, those without an end apart
	exclusive_ns INTEGER NOT NULL -- ns: busy time that belongs to the recipe's operations, each instant to one, as in op_total; adds up to device_busy_ns
) STRICT;

CREATE INDEX recipe_total_by_device ON recipe_total(trace_id, device);

-- Host time by slice name.
CREATE TABLE host_total (
	trace_id INTEGER NOT NULL, -- trace.id
	category TEXT, -- slice category
	name TEXT, -- slice name
	role TEXT, -- label.role
	count INTEGER NOT NULL, -- slices
	dur_ns INTEGER NOT NULL, -- ns: sum of durations
	self_ns INTEGER NOT NULL, -- ns: sum of durations less what nested slices take
	exposed_ns INTEGER NOT NULL, -- ns: part of the union of its slices, within the analysed steps (without steps, the host's time), in which no device works
	is_launching INTEGER NOT NULL, -- 1 when a thread whose time the accounts part, launching or of the Gaudi runtime, ran some of it
	class TEXT, -- label.class
	collective TEXT, -- label.collective
	phase TEXT, -- label.phase
	mark TEXT, -- label.mark
	outer_count INTEGER NOT NULL DEFAULT 0, -- slices that lie in no other of the same mark on their thread (the step of an optimizer that another one calls does); all for names without a mark
	outer_ns INTEGER NOT NULL DEFAULT 0, -- ns: sum of their durations
	outer_exposed_ns INTEGER NOT NULL DEFAULT 0, -- ns: exposed_ns of these
	optimizer_count INTEGER NOT NULL DEFAULT 0 -- slices that lie in the step of an optimizer, on its thread
) STRICT;

-- Host slices that matter to advice, outermost of their role: loader calls, copies, compiles,
-- blocking waits, fallbacks, collectives. Optimizer steps are in framework_op.
CREATE TABLE host_event (
	id INTEGER PRIMARY KEY, -- event number
	trace_id INTEGER NOT NULL, -- trace.id
	slice_id INTEGER NOT NULL, -- slice.id
	role TEXT NOT NULL, -- label.role
	name TEXT NOT NULL, -- slice name
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	thread_id INTEGER NOT NULL, -- thread.id of the operating-system thread
	step_id INTEGER, -- step.id of the step that contains its start; NULL outside of steps
	is_warm_up INTEGER NOT NULL, -- 1 before the second complete step, or in a warm-up step
	exposed_ns INTEGER NOT NULL, -- ns: part of it in which no device works
	idle_after_ns INTEGER NOT NULL, -- ns: device idle from its end until work resumes
	transfer_ns INTEGER NOT NULL, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the work that follows
	in_copy INTEGER NOT NULL, -- 1 when the framework operation right around it is a copy (aten::to, aten::_to_copy, aten::copy_)
	follows_loader INTEGER NOT NULL, -- 1 when its thread ran no other operation than copies since its last loader call
	caller TEXT, -- innermost framework operation around it, such as aten::item
	python TEXT, -- innermost Python frame around it, when stacks were recorded
	detail TEXT -- recipe of a compile, bytes of a copy: JSON text or NULL
) STRICT;

-- Times in which the host is held up, and what that costs the device. A host that is held up loses
-- its lead, so the idle time from then to the next such time is put down to it, but no more than
-- it lasted, and so are copies between host and device under which nothing else works, until the
-- host launches what follows them: work that is launched by then would wait for the copy in any
-- case. Calls below 100 us (loader calls below 1 ms) hold nothing up. A copy down and a copy up
-- within one operation are a fallback to the CPU. Of events and idle time it takes what
-- steady_host_event and steady_gap have.
-- A loader call does not end what a wait before it costs: without the wait it would have run beside
-- the device. So one idle time may be put down to a wait and to the loader.
CREATE TABLE host_block (
	id INTEGER PRIMARY KEY, -- host_event.id
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- sync, input_copy, cpu_fallback or dataloader
	role TEXT NOT NULL, -- label.role; of the copies of a fallback output_copy, then input_copy
	name TEXT NOT NULL, -- slice name
	caller TEXT, -- framework operation around it
	python TEXT, -- innermost Python frame around it
	step INTEGER, -- step.number; NULL in a trace without steps
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	exposed_ns INTEGER NOT NULL, -- ns: part of it in which no device works
	idle_ns INTEGER NOT NULL, -- ns: device idle until the next one that is no loader call; 0 for loader calls
	next_idle_ns INTEGER NOT NULL, -- ns: device idle until the next one of any kind, under the loader apart
	host_idle_ns INTEGER NOT NULL, -- ns: part of that under graph building, operations, launches and Python
	transfer_ns INTEGER NOT NULL, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the work that follows
	after_transfer_ns INTEGER NOT NULL, -- ns: such copies from its end to that of the next one that is no loader call, without that one's own; 0 for loader calls
	next_transfer_ns INTEGER NOT NULL, -- ns: the same to the next one of any kind
	cost_ns INTEGER NOT NULL, -- ns: idle time and such copies put down to it, at most dur; a fallback is two copies and the time between, so its cost has no such limit
	held_ns INTEGER NOT NULL -- ns: of host_idle_ns, what is put down to it
) STRICT;

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

-- Graph compilations: the rows of host_event with role compile, and what each one compiled. Its
-- operations are those that its thread (for calls of the Gaudi runtime: the main thread) ran since
-- it last launched a graph or compiled one, loader calls apart; see docs/compiles.md.
CREATE TABLE compile (
	id INTEGER PRIMARY KEY, -- compile number, in the order of their starts
	trace_id INTEGER NOT NULL, -- trace.id
	slice_id INTEGER NOT NULL, -- slice.id of the host slice
	step_id INTEGER, -- step.id of the step that contains its start; NULL outside of steps
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns
	exposed_ns INTEGER NOT NULL, -- ns: part of it in which no device works
	is_warm_up INTEGER NOT NULL, -- 1 before the second complete step, or in a warm-up step
	inner_slice_id INTEGER, -- slice.id of the last compile call within it, such as the runtime's own record of the same call
	launch_slice_id INTEGER, -- slice.id of the next graph launch of its thread; NULL for none before the next compile
	recipe TEXT, -- recipe it makes, "name #id"; NULL when neither its args nor the work of that launch name one
	recipe_source TEXT, -- args or launch: which of the two named it
	op_count INTEGER NOT NULL, -- operations it compiled; 0 when none are recorded
	op_sequence TEXT, -- hash of their names in order, the same in all traces; NULL when op_count is 0
	kind TEXT NOT NULL, -- first: neither its recipe name nor its op_sequence was compiled before in this trace; again: one of them was; unknown: it has neither
	previous_id INTEGER, -- kind again: compile.id of the last one before with the same recipe, else the same op_sequence
	changed TEXT, -- kind again: nothing (the recipe was there), shapes, other (same operations and shapes, so a constant or a setting), unknown (shapes are not recorded)
	changed_slice_id INTEGER -- changed shapes: slice.id of the first operation whose input sizes differ
) STRICT;

-- The operations that a compilation compiled, the first 4,096 of each.
CREATE TABLE compile_op (
	compile_id INTEGER NOT NULL, -- compile.id
	ord INTEGER NOT NULL, -- place among its operations, from 1
	slice_id INTEGER NOT NULL, -- slice.id of the host slice
	PRIMARY KEY (compile_id, ord)
) STRICT, WITHOUT ROWID;

-- Matrix products by their shapes, outermost ones.
CREATE TABLE framework_shape (
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- matmul
	name TEXT NOT NULL, -- slice name
	input_dims TEXT, -- JSON list of the inputs' sizes, when recorded
	input_types TEXT, -- JSON list of the inputs' types, when recorded
	count INTEGER NOT NULL, -- slices
	dur_ns INTEGER NOT NULL -- ns: sum of their durations
) STRICT;

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

-- Traces that are ranks of one job: same world size, each rank once. See docs/ranks.md.
CREATE TABLE job_rank (
	trace_id INTEGER PRIMARY KEY, -- trace.id
	job_id INTEGER NOT NULL, -- the lowest trace.id of the job
	rank INTEGER NOT NULL, -- rank in the job
	world_size INTEGER NOT NULL, -- ranks in the job, in the store or not
	by_guess INTEGER NOT NULL, -- 1 when the times of the traces do not all overlap, so that only world size and ranks say that they are one job
	matched_count INTEGER NOT NULL, -- its collectives that were matched with those of all ranks
	late_count INTEGER, -- matched ones to which it came last; NULL without any, as below
	wait_ns INTEGER, -- ns: sum of collective.wait_ns
	exposed_wait_ns INTEGER, -- ns: sum of collective.exposed_wait_ns
	start_wait_ns INTEGER, -- ns: collective.exposed_wait_ns of the first one
	clock_offset_ns INTEGER, -- ns: median of collective.end_offset_ns: how far its clock is ahead
	apart_ns INTEGER -- ns: sum of what end_offset_ns and clock_offset_ns differ by
) STRICT;

-- Collectives of the ranks of a job, on the device, and how long each waited for the last rank.
CREATE TABLE collective (
	slice_id INTEGER PRIMARY KEY, -- slice.id
	trace_id INTEGER NOT NULL, -- trace.id
	job_id INTEGER NOT NULL, -- job_rank.job_id
	device TEXT NOT NULL, -- device, as in device_op.device
	lane TEXT, -- Gaudi: the NIC lane, for every lane has its part; NULL elsewhere
	name TEXT NOT NULL, -- args."Collective name", else the name of the operation
	group_name TEXT, -- name and ranks of the process group; NULL when not said
	group_size INTEGER NOT NULL, -- ranks that take part; the world size when not said
	number INTEGER NOT NULL, -- args.Seq, else its place in the order of those of its name and group, from 0
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration
	match_id INTEGER, -- the lowest slice_id of the same collective on all its ranks; NULL when it could not be matched
	rank_count INTEGER, -- ranks matched
	wait_ns INTEGER, -- ns: time before the last rank came: dur less the shortest dur of the match; the rest is transfer
	exposed_wait_ns INTEGER, -- ns: part of it under no compute, and under no earlier wait of the trace
	end_offset_ns INTEGER, -- ns: its end by the clock of its rank, less the mean end of the match
	kind TEXT -- all_reduce, all_gather, ...: see docs/names.md; NULL when the name does not say
) STRICT;

CREATE INDEX collective_by_trace ON collective(trace_id, ts);

-- What was advised when the traces were imported, with the settings of then.
CREATE TABLE finding (
	id INTEGER PRIMARY KEY, -- position in the ranking, from 1
	trace_id INTEGER NOT NULL, -- trace.id
	heuristic TEXT NOT NULL, -- id of the heuristic
	title TEXT NOT NULL, -- what is wrong, in one line
	severity TEXT NOT NULL, -- high, medium, low or info
	confidence TEXT NOT NULL, -- measured, inferred or guessed
	gain_ns INTEGER, -- ns: upper bound of the wall time a fix wins back; NULL when it has none
	gain_pct REAL, -- pct of the analysed wall time
	sql TEXT NOT NULL -- query that reproduces the evidence
) STRICT;

-- The rows under a finding.
CREATE TABLE evidence (
	finding_id INTEGER NOT NULL, -- finding.id
	ord INTEGER NOT NULL, -- position under the finding, from 1
	subject TEXT NOT NULL, -- what the row is about: an operation, a step, a thread
	gain_ns INTEGER, -- ns: this row's part
	count INTEGER, -- occurrences
	data TEXT NOT NULL -- the row's columns as a JSON object
) STRICT;

-- What every heuristic did: fired, quiet, not_applicable, not_asked or failed.
CREATE TABLE account (
	trace_id INTEGER NOT NULL, -- trace.id
	heuristic TEXT NOT NULL, -- id of the heuristic
	outcome TEXT NOT NULL, -- fired, quiet, not_applicable, not_asked (left out by a setting) or failed
	reason TEXT -- why it does not apply, was not asked or failed
) STRICT;

-- Files read beside the traces: metrics, logs, tables of the Gaudi profiler (docs/side-files.md).
CREATE TABLE side_file (
	id INTEGER PRIMARY KEY, -- side file number, from 0 in the order of import
	trace_id INTEGER NOT NULL, -- trace.id of the trace it belongs to
	path TEXT NOT NULL, -- the file as it was named
	kind TEXT NOT NULL, -- metrics-json, metrics-text, log, hw-csv or node-csv
	origin TEXT NOT NULL, -- given (--with) or found (beside the trace, by the writer's naming)
	read_bytes INTEGER NOT NULL, -- bytes: size of the decompressed file
	row_count INTEGER NOT NULL, -- rows that it gave to the tables below
	damaged_count INTEGER NOT NULL -- lines or records that could not be read
) STRICT;

-- Values of metrics files; nested members have a row each. All values are cumulative.
CREATE TABLE side_metric (
	trace_id INTEGER NOT NULL, -- trace.id
	source INTEGER NOT NULL, -- side_file.id
	metric TEXT NOT NULL, -- graph_compilation, cpu_fallback, memory_defragmentation, recipe_cache, ...
	triggered_by TEXT, -- what made the dump: process_exit, mark_step, metric_change, user
	generated_on TEXT, -- local time of the dump as the file says it
	ord INTEGER NOT NULL, -- place of the dump in its file, from 1
	name TEXT NOT NULL, -- TotalNumber, TotalTime, FallbackOps, ...
	item TEXT, -- member of a nested value: operation, recipe; NULL for plain values
	value ANY -- as the file gives it: graph_compilation in us, memory_defragmentation in ms
) STRICT;

-- Lines of logs that mean something.
CREATE TABLE side_log (
	trace_id INTEGER NOT NULL, -- trace.id
	source INTEGER NOT NULL, -- side_file.id
	line INTEGER NOT NULL, -- line number, from 1
	kind TEXT NOT NULL, -- cpu_fallback, cpu_fallback_total, recipe_eviction, recipe_over_limit, recipe_hit, recipe_miss or graph_compile
	subject TEXT, -- operation with its namespace, recipe, key, or name of the step; NULL when not said
	count INTEGER NOT NULL, -- occurrences that the line speaks of
	value INTEGER, -- size of the cache as logged (recipe_eviction, recipe_over_limit), us of compiling (graph_compile); NULL when not said
	text TEXT NOT NULL -- the line
) STRICT;

-- Work of hardware engines, from the Gaudi profiler's CSV: BEGIN and END of one engine.
CREATE TABLE hw_op (
	trace_id INTEGER NOT NULL, -- trace.id
	source INTEGER NOT NULL, -- side_file.id
	device TEXT, -- device as the file names it, such as accel0
	engine TEXT NOT NULL, -- engine, such as "[HD0] TPC 5"
	name TEXT NOT NULL, -- node
	ts INTEGER NOT NULL, -- ns: start, on the profiler's clock
	dur INTEGER NOT NULL, -- ns: duration; -1 when the end is not in the file
	recipe TEXT, -- recipe name
	recipe_id INTEGER, -- recipe id
	operation TEXT, -- operation or kernel of the node
	data_type TEXT -- data type
) STRICT;

-- Counters of hardware engines, from the same file.
CREATE TABLE hw_counter (
	trace_id INTEGER NOT NULL, -- trace.id
	source INTEGER NOT NULL, -- side_file.id
	device TEXT, -- device as the file names it
	engine TEXT NOT NULL, -- engine
	name TEXT NOT NULL, -- counter
	ts INTEGER NOT NULL, -- ns: on the profiler's clock
	value REAL NOT NULL -- as the file gives it
) STRICT;

-- The Gaudi profiler's analysis of graph nodes (analyzed-nodes CSV). NULL where it says nan.
CREATE TABLE node_stat (
	trace_id INTEGER NOT NULL, -- trace.id
	source INTEGER NOT NULL, -- side_file.id
	unit TEXT NOT NULL, -- MME, TPC or DMA
	node_id INTEGER, -- id of the node
	node TEXT NOT NULL, -- name of the node
	op_type TEXT, -- operation
	start_ts INTEGER, -- ns: start, on the profiler's clock
	end_ts INTEGER, -- ns: end
	duration_ns INTEGER NOT NULL, -- ns: from start to end
	active_ns INTEGER, -- ns: time in which the unit works on it
	activation_count INTEGER, -- activations of engines
	engine_count INTEGER, -- engines that work in parallel
	tpc_unexposed_ns INTEGER, -- ns: TPC time under MME
	tpc_exposed_ns INTEGER, -- ns: TPC time not under MME
	mme_unexposed_ns INTEGER, -- ns: MME time under other work
	mme_exposed_ns INTEGER, -- ns: MME time not under other work
	dma_exposed_ns INTEGER, -- ns: DMA time under neither
	mme_utilization_pct REAL, -- pct of what the MME could compute
	mme_expected_pct REAL, -- pct: expected against actual MME time
	tpc_read_pct REAL, -- pct of the bandwidth for input
	tpc_write_pct REAL, -- pct of the bandwidth for output
	bundle INTEGER, -- index of the bundle the node was put in
	mme_node TEXT, -- MME node it comes from
	strategy TEXT, -- how the MME walks the node
	input_shapes TEXT, -- as the file gives them
	input_types TEXT, -- as the file gives them
	output_shapes TEXT, -- as the file gives them
	output_types TEXT -- as the file gives them
) STRICT;

-- What the import met that was not as it should be.
CREATE TABLE import_log (
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- see docs/import-log.md
	severity TEXT NOT NULL, -- info, data_loss or error
	byte_offset INTEGER, -- offset in the decompressed input; NULL when it has none
	count INTEGER NOT NULL, -- occurrences, or bytes for the kinds that skip bytes
	message TEXT -- what and where
) STRICT;
