-- A store of version 9, as tracecoach of then made it of small.json (tests/cli/lib.sh): sqlite3 old.db .dump
PRAGMA page_size = 16384;
PRAGMA application_id = 1416774511;
PRAGMA user_version = 9;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE trace (
	id INTEGER PRIMARY KEY, -- trace number, from 0 in the order of import
	path TEXT NOT NULL, -- path of the file as given
	format TEXT NOT NULL, -- gaudi-lazy, gaudi-kineto, kineto, synapse-log or trace-event
	form TEXT NOT NULL, -- object, array or lines
	vendor TEXT, -- gaudi, cuda, rocm, xpu, mtia, ascend, tpu, musa, mlu, gcu, aiu, rbln; NULL when no device work shows it
	rank INTEGER, -- rank in the job; NULL when the file does not say
	world_size INTEGER, -- ranks in the job; NULL when the file does not say
	backend TEXT, -- collective backend (nccl, hccl, gloo); NULL when the file does not say
	device_name TEXT, -- name of the first device in deviceProperties
	device_memory_bytes INTEGER, -- bytes: its memory capacity; NULL when not recorded
	base_time_ns INTEGER, -- ns: baseTimeNanoseconds of the file, not added to ts
	start_ns INTEGER, -- ns: start of the first slice with a duration; NULL without slices
	end_ns INTEGER, -- ns: end of the last slice
	read_bytes INTEGER NOT NULL, -- bytes: size of the decompressed input
	event_count INTEGER NOT NULL, -- events decoded
	architecture TEXT -- generation of the first device, if advice depends on it: kepler, maxwell, pascal, volta, turing, turing_gtx (without tensor cores), ampere, ada, hopper, blackwell, cdna1, cdna2, cdna3; from its compute capability or name, else the newest generation that a kernel was compiled for (the device may be newer); NULL for others
) STRICT;
INSERT INTO trace VALUES(0,'small.json','kineto','object','cuda',NULL,NULL,NULL,'NVIDIA A100',NULL,NULL,1000000,3000000,988,7,'ampere');
CREATE TABLE left_out (
	id INTEGER PRIMARY KEY, -- position among the given inputs, from 0
	path TEXT NOT NULL, -- path of the file as given
	reason TEXT NOT NULL -- reason, including the file name
) STRICT;
CREATE TABLE device_peak (
	trace_id INTEGER NOT NULL, -- trace.id
	device_name TEXT NOT NULL, -- as in trace.device_name
	mme_lane_count INTEGER, -- MME lanes that appear in a trace; NULL when not known
	tpc_lane_count INTEGER, -- TPC lanes; NULL on other devices
	hbm_bytes REAL, -- bytes: device memory according to the data sheet; NULL when the name has several sizes
	hbm_bytes_per_s REAL, -- its peak bandwidth in bytes per second
	source TEXT NOT NULL -- source of the figures
) STRICT;
CREATE TABLE trace_meta (
	trace_id INTEGER NOT NULL, -- trace.id
	key TEXT NOT NULL, -- name of the member
	value TEXT NOT NULL -- its JSON text
) STRICT;
INSERT INTO trace_meta VALUES(0,'schemaVersion','1');
INSERT INTO trace_meta VALUES(0,'deviceProperties','[{"id":0,"name":"NVIDIA A100","numSms":108}]');
CREATE TABLE process (
	id INTEGER PRIMARY KEY, -- process number
	trace_id INTEGER NOT NULL, -- trace.id
	pid ANY, -- the pid as the file gives it: integer, or text
	upid INTEGER AS (id), -- id, as Perfetto calls it
	name TEXT, -- from metadata; the pid itself when it is text
	labels TEXT, -- from metadata
	sort_index INTEGER -- display order hint
) STRICT;
INSERT INTO process VALUES(0,0,1,'python',NULL,NULL);
INSERT INTO process VALUES(1,0,0,NULL,NULL,NULL);
CREATE TABLE thread (
	id INTEGER PRIMARY KEY, -- thread number
	trace_id INTEGER NOT NULL, -- trace.id
	process_id INTEGER NOT NULL, -- process.id
	tid ANY, -- the tid as the file gives it: integer, or text
	name TEXT, -- from metadata
	sort_index INTEGER, -- display order hint
	utid INTEGER AS (id), -- id, as Perfetto calls it
	upid INTEGER AS (process_id), -- process_id, as Perfetto calls it
	host_thread_id INTEGER -- thread.id of the operating-system thread this one records; bridge and synapse logs repeat a host thread under other process ids
) STRICT;
INSERT INTO thread VALUES(0,0,0,1,NULL,NULL,0);
INSERT INTO thread VALUES(1,0,1,7,NULL,NULL,NULL);
CREATE TABLE track (
	id INTEGER PRIMARY KEY, -- track number
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- thread, lane, async, or thread_state (scheduling states of a thread)
	process_id INTEGER, -- process.id
	thread_id INTEGER, -- thread.id; NULL for async tracks
	name TEXT, -- thread name, lane name or async name
	device TEXT, -- the device of a lane: args.device, else the pid; NULL on the host
	engine TEXT, -- Gaudi lanes: mme, tpc, dma, nic, other; NULL elsewhere (see label.engine)
	lane TEXT -- name of the lane within its device, such as "TPC 3" or "stream 7"
) STRICT;
INSERT INTO track VALUES(0,0,'thread',0,0,NULL,NULL,NULL,NULL);
INSERT INTO track VALUES(1,0,'lane',1,1,NULL,'0',NULL,'stream 7');
CREATE TABLE label (
	id INTEGER PRIMARY KEY, -- label number
	category TEXT, -- cat of the event; NULL when absent
	name TEXT, -- name of the event; NULL when absent
	role TEXT, -- what a host slice of this label does: see docs/roles.md; NULL for none
	engine TEXT, -- device work, by category: compute, copy or communication; NULL for none
	task_engine TEXT, -- engine of a task of this name on a compute lane that runs all kinds of work (Ascend streams); NULL: that of the lane
	kind TEXT, -- device work: kernel, memcpy, memset or other; NULL for host labels
	direction TEXT, -- copies: HtoD, DtoH, DtoD, PtoP, HtoH; NULL when not recorded
	class TEXT, -- class of the work, on host and device: see docs/names.md; NULL when the name does not show it
	precision TEXT NOT NULL DEFAULT 'unknown', -- device work: fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 or other; unknown when the name does not show it
	collective TEXT, -- communication: all_reduce, all_gather, ...: see docs/names.md; NULL for other work
	phase TEXT, -- backward or optimizer, which only training has; NULL otherwise
	mark TEXT -- other property of the name that advice needs: see docs/names.md; NULL for none
) STRICT;
INSERT INTO label VALUES(0,'user_annotation','ProfilerStep#1',NULL,NULL,NULL,NULL,NULL,NULL,'unknown',NULL,NULL,'profiler_step');
INSERT INTO label VALUES(1,'user_annotation','ProfilerStep#2',NULL,NULL,NULL,NULL,NULL,NULL,'unknown',NULL,NULL,'profiler_step');
INSERT INTO label VALUES(2,'cpu_op','aten::mm','dispatch',NULL,NULL,NULL,NULL,'matrix','unknown',NULL,NULL,NULL);
INSERT INTO label VALUES(3,'cuda_runtime','cudaLaunchKernel','launch',NULL,NULL,NULL,NULL,NULL,'unknown',NULL,NULL,'kernel_launch');
INSERT INTO label VALUES(4,'kernel','gemm, "fast"',NULL,'compute',NULL,'kernel',NULL,'matrix','unknown',NULL,NULL,NULL);
INSERT INTO label VALUES(5,'kernel','relu',NULL,'compute',NULL,'kernel',NULL,'elementwise','unknown',NULL,NULL,NULL);
CREATE TABLE slice_row (
	id INTEGER PRIMARY KEY, -- slice number, in the order of the file
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration; -1 when the end is not in the file
	track_id INTEGER NOT NULL, -- track.id
	label_id INTEGER NOT NULL, -- label.id
	args ANY, -- JSON text, or args_form.id of its form, or NULL
	numbers INTEGER -- numbers that the form leaves out, args_form.bits each, the first in the lowest bits; NULL when it leaves out none
) STRICT;
INSERT INTO slice_row VALUES(0,1000000,1000000,0,0,NULL,NULL);
INSERT INTO slice_row VALUES(1,2000000,1000000,0,1,NULL,NULL);
INSERT INTO slice_row VALUES(2,1100000,50500,0,2,'{"Input Dims":[[2,3],[3,4]]}',NULL);
INSERT INTO slice_row VALUES(3,1110000,5000,0,3,'{"correlation":7}',NULL);
INSERT INTO slice_row VALUES(4,1200000,300000,1,4,'{"device":0,"stream":7,"correlation":7}',NULL);
INSERT INTO slice_row VALUES(5,2200000,100125,1,5,'{"device":0,"stream":7}',NULL);
CREATE TABLE args_form (
	id INTEGER PRIMARY KEY, -- number of the form
	pattern TEXT NOT NULL, -- printf() pattern with %d for each number in slice_row.numbers
	bits INTEGER NOT NULL -- bits of a number in slice_row.numbers
) STRICT;
CREATE TABLE slice_nest (
	slice_id INTEGER PRIMARY KEY, -- slice.id
	depth INTEGER NOT NULL, -- number of enclosing slices, from 1
	parent_id INTEGER NOT NULL -- slice.id of the innermost enclosing slice
) STRICT;
INSERT INTO slice_nest VALUES(2,1,0);
INSERT INTO slice_nest VALUES(3,2,2);
CREATE TABLE device_link (
	first_slice_id INTEGER PRIMARY KEY, -- slice.id of the run's first device operation
	last_slice_id INTEGER NOT NULL, -- slice.id of its last
	launch_slice_id INTEGER, -- slice.id of the launching host slice
	step_id INTEGER, -- step.id of the step that launched it; NULL before the first step, and for work launched before the recording
	method TEXT NOT NULL -- how the launch was matched: correlation, flow, recipe or external_id; time when it was not, and the step is the latest that had begun; before_recording when the call was made before the recording began
) STRICT;
INSERT INTO device_link VALUES(4,4,3,0,'correlation');
INSERT INTO device_link VALUES(5,5,NULL,1,'time');
CREATE TABLE instant_row (
	id INTEGER PRIMARY KEY, -- instant number
	trace_id INTEGER NOT NULL, -- trace.id
	ts INTEGER NOT NULL, -- ns
	track_id INTEGER NOT NULL, -- track.id
	label_id INTEGER NOT NULL, -- label.id
	scope TEXT NOT NULL, -- thread, process or global
	args TEXT -- JSON text or NULL
) STRICT;
CREATE TABLE counter (
	id INTEGER PRIMARY KEY, -- sample number
	trace_id INTEGER NOT NULL, -- trace.id
	ts INTEGER NOT NULL, -- ns
	process_id INTEGER, -- process.id
	name TEXT NOT NULL, -- event name, id and member as "name key" or "name id: X key"
	value REAL NOT NULL -- as the file gives it
) STRICT;
CREATE TABLE flow_row (
	id INTEGER PRIMARY KEY, -- arrow number
	trace_id INTEGER NOT NULL, -- trace.id
	label_id INTEGER NOT NULL, -- label.id of the flow's events
	slice_out INTEGER NOT NULL, -- slice.id the arrow leaves
	slice_in INTEGER NOT NULL -- slice.id the arrow reaches
) STRICT;
CREATE TABLE memory_sample (
	id INTEGER PRIMARY KEY, -- sample number
	trace_id INTEGER NOT NULL, -- trace.id
	ts INTEGER NOT NULL, -- ns
	device_type INTEGER, -- 0 for the CPU, otherwise a device type as PyTorch numbers them
	device_id INTEGER, -- index of the device, -1 for the CPU
	addr ANY, -- address, integer or text
	bytes INTEGER, -- bytes: positive for an allocation, negative for a free
	total_allocated_bytes INTEGER, -- bytes in use after it
	total_reserved_bytes INTEGER, -- bytes reserved after it
	thread_id INTEGER NOT NULL -- thread.id of the thread that called the allocator
) STRICT;
CREATE TABLE memory_slice (
	memory_id INTEGER PRIMARY KEY, -- memory_sample.id
	slice_id INTEGER NOT NULL -- slice.id
) STRICT;
CREATE TABLE step (
	id INTEGER PRIMARY KEY, -- step index over all traces of the store
	trace_id INTEGER NOT NULL, -- trace.id
	number INTEGER NOT NULL, -- N of ProfilerStep#N; the position, from 0, when two steps have the same number
	name TEXT NOT NULL, -- name of the slice
	ts INTEGER NOT NULL, -- ns: start on the host
	dur INTEGER NOT NULL, -- ns: duration on the host
	slice_id INTEGER NOT NULL, -- slice.id
	device_ts INTEGER, -- ns: start of the first device operation the step launched; NULL without any
	device_dur INTEGER, -- ns: from there to the end of the last device operation it launched
	is_warm_up INTEGER NOT NULL -- 1 for a first step that takes at least twice the median of the others
) STRICT;
INSERT INTO step VALUES(0,0,1,'ProfilerStep#1',1000000,1000000,0,1200000,300000,0);
INSERT INTO step VALUES(1,0,2,'ProfilerStep#2',2000000,1000000,1,2200000,100125,0);
CREATE TABLE metric (
	trace_id INTEGER NOT NULL, -- trace.id
	name TEXT NOT NULL, -- see docs/metrics.md
	device TEXT, -- device, as in device_op.device
	step INTEGER, -- step.number
	value ANY NOT NULL, -- integer for ns, bytes and counts; real for ratios and percentages
	unit TEXT NOT NULL -- ns, bytes, count, pct or ratio
) STRICT;
INSERT INTO metric VALUES(0,'compile_first_count',NULL,1,0,'count');
INSERT INTO metric VALUES(0,'compile_again_count',NULL,1,0,'count');
INSERT INTO metric VALUES(0,'compile_first_count',NULL,2,0,'count');
INSERT INTO metric VALUES(0,'compile_again_count',NULL,2,0,'count');
INSERT INTO metric VALUES(0,'compile_first_count',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'compile_again_count',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'host_window_ns',NULL,NULL,2000000,'ns');
INSERT INTO metric VALUES(0,'compile_after_warm_up_count',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'compile_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'compile_count',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'dataloader_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'input_copy_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'input_copy_count',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'graph_build_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'sync_blocked_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'sync_count',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'host_dataloader_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_dataloader_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_compile_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_compile_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_cpu_fallback_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_cpu_fallback_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_sync_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_sync_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_input_copy_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_input_copy_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_output_copy_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_output_copy_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_collective_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_collective_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_setup_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_setup_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_launch_own_ns',NULL,NULL,5000,'ns');
INSERT INTO metric VALUES(0,'host_launch_exposed_ns',NULL,NULL,5000,'ns');
INSERT INTO metric VALUES(0,'host_graph_build_own_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_graph_build_exposed_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'host_dispatch_own_ns',NULL,NULL,45500,'ns');
INSERT INTO metric VALUES(0,'host_dispatch_exposed_ns',NULL,NULL,45500,'ns');
INSERT INTO metric VALUES(0,'host_other_own_ns',NULL,NULL,1949500,'ns');
INSERT INTO metric VALUES(0,'host_other_exposed_ns',NULL,NULL,1549375,'ns');
INSERT INTO metric VALUES(0,'compile_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'compile_count',NULL,1,0,'count');
INSERT INTO metric VALUES(0,'dataloader_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'input_copy_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'input_copy_count',NULL,1,0,'count');
INSERT INTO metric VALUES(0,'graph_build_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'sync_blocked_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'sync_count',NULL,1,0,'count');
INSERT INTO metric VALUES(0,'host_dataloader_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_dataloader_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_compile_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_compile_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_cpu_fallback_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_cpu_fallback_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_sync_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_sync_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_input_copy_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_input_copy_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_output_copy_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_output_copy_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_collective_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_collective_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_setup_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_setup_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_launch_own_ns',NULL,1,5000,'ns');
INSERT INTO metric VALUES(0,'host_launch_exposed_ns',NULL,1,5000,'ns');
INSERT INTO metric VALUES(0,'host_graph_build_own_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_graph_build_exposed_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'host_dispatch_own_ns',NULL,1,45500,'ns');
INSERT INTO metric VALUES(0,'host_dispatch_exposed_ns',NULL,1,45500,'ns');
INSERT INTO metric VALUES(0,'host_other_own_ns',NULL,1,949500,'ns');
INSERT INTO metric VALUES(0,'host_other_exposed_ns',NULL,1,649500,'ns');
INSERT INTO metric VALUES(0,'compile_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'compile_count',NULL,2,0,'count');
INSERT INTO metric VALUES(0,'dataloader_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'input_copy_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'input_copy_count',NULL,2,0,'count');
INSERT INTO metric VALUES(0,'graph_build_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'sync_blocked_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'sync_count',NULL,2,0,'count');
INSERT INTO metric VALUES(0,'host_dataloader_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_dataloader_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_compile_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_compile_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_cpu_fallback_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_cpu_fallback_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_sync_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_sync_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_input_copy_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_input_copy_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_output_copy_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_output_copy_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_collective_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_collective_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_setup_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_setup_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_launch_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_launch_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_graph_build_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_graph_build_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_dispatch_own_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_dispatch_exposed_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'host_other_own_ns',NULL,2,1000000,'ns');
INSERT INTO metric VALUES(0,'host_other_exposed_ns',NULL,2,899875,'ns');
INSERT INTO metric VALUES(0,'queued_idle_ns','0',NULL,0,'ns');
INSERT INTO metric VALUES(0,'queued_idle_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'wall_ns',NULL,NULL,2000000,'ns');
INSERT INTO metric VALUES(0,'step_count',NULL,NULL,2,'count');
INSERT INTO metric VALUES(0,'wall_ns',NULL,1,1000000,'ns');
INSERT INTO metric VALUES(0,'wall_ns',NULL,2,1000000,'ns');
INSERT INTO metric VALUES(0,'step_mean_ns',NULL,NULL,1000000,'ns');
INSERT INTO metric VALUES(0,'step_median_ns',NULL,NULL,1000000,'ns');
INSERT INTO metric VALUES(0,'steady_step_count',NULL,NULL,2,'count');
INSERT INTO metric VALUES(0,'perf_tool_device_ns',NULL,NULL,400125,'ns');
INSERT INTO metric VALUES(0,'perf_tool_total_ns',NULL,NULL,2000000,'ns');
INSERT INTO metric VALUES(0,'overlapping_degree',NULL,NULL,1.0,'ratio');
INSERT INTO metric VALUES(0,'device_count',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'device_busy_ns','0',NULL,400125,'ns');
INSERT INTO metric VALUES(0,'compute_busy_ns','0',NULL,400125,'ns');
INSERT INTO metric VALUES(0,'communication_busy_ns','0',NULL,0,'ns');
INSERT INTO metric VALUES(0,'exposed_communication_ns','0',NULL,0,'ns');
INSERT INTO metric VALUES(0,'copy_busy_ns','0',NULL,0,'ns');
INSERT INTO metric VALUES(0,'copy_exclusive_ns','0',NULL,0,'ns');
INSERT INTO metric VALUES(0,'exposed_transfer_ns','0',NULL,0,'ns');
INSERT INTO metric VALUES(0,'launched_before_ns','0',NULL,0,'ns');
INSERT INTO metric VALUES(0,'device_op_count','0',NULL,2,'count');
INSERT INTO metric VALUES(0,'device_window_ns','0',NULL,1100125,'ns');
INSERT INTO metric VALUES(0,'device_wait_ns','0',NULL,1599875,'ns');
INSERT INTO metric VALUES(0,'device_unknown_ns','0',NULL,0,'ns');
INSERT INTO metric VALUES(0,'device_busy_pct','0',NULL,20.006250000000001421,'pct');
INSERT INTO metric VALUES(0,'device_span_ns','0',NULL,1100125,'ns');
INSERT INTO metric VALUES(0,'device_idle_ns','0',NULL,700000,'ns');
INSERT INTO metric VALUES(0,'launched_op_count','0',NULL,1,'count');
INSERT INTO metric VALUES(0,'launched_before_count','0',NULL,0,'count');
INSERT INTO metric VALUES(0,'device_busy_ns','0',1,300000,'ns');
INSERT INTO metric VALUES(0,'compute_busy_ns','0',1,300000,'ns');
INSERT INTO metric VALUES(0,'communication_busy_ns','0',1,0,'ns');
INSERT INTO metric VALUES(0,'exposed_communication_ns','0',1,0,'ns');
INSERT INTO metric VALUES(0,'copy_busy_ns','0',1,0,'ns');
INSERT INTO metric VALUES(0,'copy_exclusive_ns','0',1,0,'ns');
INSERT INTO metric VALUES(0,'exposed_transfer_ns','0',1,0,'ns');
INSERT INTO metric VALUES(0,'device_op_count','0',1,1,'count');
INSERT INTO metric VALUES(0,'device_window_ns','0',1,300000,'ns');
INSERT INTO metric VALUES(0,'device_wait_ns','0',1,700000,'ns');
INSERT INTO metric VALUES(0,'device_unknown_ns','0',1,0,'ns');
INSERT INTO metric VALUES(0,'device_busy_pct','0',1,30.0,'pct');
INSERT INTO metric VALUES(0,'device_busy_ns','0',2,100125,'ns');
INSERT INTO metric VALUES(0,'compute_busy_ns','0',2,100125,'ns');
INSERT INTO metric VALUES(0,'communication_busy_ns','0',2,0,'ns');
INSERT INTO metric VALUES(0,'exposed_communication_ns','0',2,0,'ns');
INSERT INTO metric VALUES(0,'copy_busy_ns','0',2,0,'ns');
INSERT INTO metric VALUES(0,'copy_exclusive_ns','0',2,0,'ns');
INSERT INTO metric VALUES(0,'exposed_transfer_ns','0',2,0,'ns');
INSERT INTO metric VALUES(0,'device_op_count','0',2,1,'count');
INSERT INTO metric VALUES(0,'device_window_ns','0',2,100125,'ns');
INSERT INTO metric VALUES(0,'device_wait_ns','0',2,899875,'ns');
INSERT INTO metric VALUES(0,'device_unknown_ns','0',2,0,'ns');
INSERT INTO metric VALUES(0,'device_busy_pct','0',2,10.012499999999999289,'pct');
INSERT INTO metric VALUES(0,'device_busy_ns',NULL,NULL,400125,'ns');
INSERT INTO metric VALUES(0,'compute_busy_ns',NULL,NULL,400125,'ns');
INSERT INTO metric VALUES(0,'communication_busy_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'exposed_communication_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'copy_busy_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'copy_exclusive_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'exposed_transfer_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'launched_before_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'device_op_count',NULL,NULL,2,'count');
INSERT INTO metric VALUES(0,'device_window_ns',NULL,NULL,1100125,'ns');
INSERT INTO metric VALUES(0,'device_wait_ns',NULL,NULL,1599875,'ns');
INSERT INTO metric VALUES(0,'device_unknown_ns',NULL,NULL,0,'ns');
INSERT INTO metric VALUES(0,'device_busy_pct',NULL,NULL,20.006250000000001421,'pct');
INSERT INTO metric VALUES(0,'device_span_ns',NULL,NULL,1100125,'ns');
INSERT INTO metric VALUES(0,'device_idle_ns',NULL,NULL,700000,'ns');
INSERT INTO metric VALUES(0,'launched_op_count',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'launched_before_count',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'device_busy_ns',NULL,1,300000,'ns');
INSERT INTO metric VALUES(0,'compute_busy_ns',NULL,1,300000,'ns');
INSERT INTO metric VALUES(0,'communication_busy_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'exposed_communication_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'copy_busy_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'copy_exclusive_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'exposed_transfer_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'device_op_count',NULL,1,1,'count');
INSERT INTO metric VALUES(0,'device_window_ns',NULL,1,300000,'ns');
INSERT INTO metric VALUES(0,'device_wait_ns',NULL,1,700000,'ns');
INSERT INTO metric VALUES(0,'device_unknown_ns',NULL,1,0,'ns');
INSERT INTO metric VALUES(0,'device_busy_pct',NULL,1,30.0,'pct');
INSERT INTO metric VALUES(0,'device_busy_ns',NULL,2,100125,'ns');
INSERT INTO metric VALUES(0,'compute_busy_ns',NULL,2,100125,'ns');
INSERT INTO metric VALUES(0,'communication_busy_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'exposed_communication_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'copy_busy_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'copy_exclusive_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'exposed_transfer_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'device_op_count',NULL,2,1,'count');
INSERT INTO metric VALUES(0,'device_window_ns',NULL,2,100125,'ns');
INSERT INTO metric VALUES(0,'device_wait_ns',NULL,2,899875,'ns');
INSERT INTO metric VALUES(0,'device_unknown_ns',NULL,2,0,'ns');
INSERT INTO metric VALUES(0,'device_busy_pct',NULL,2,10.012499999999999289,'pct');
INSERT INTO metric VALUES(0,'steady_step_sum_ns',NULL,NULL,2000000,'ns');
INSERT INTO metric VALUES(0,'steady_step_min_ns',NULL,NULL,1000000,'ns');
INSERT INTO metric VALUES(0,'steady_step_lower_quartile_ns',NULL,NULL,1000000,'ns');
INSERT INTO metric VALUES(0,'steady_step_median_ns',NULL,NULL,1000000,'ns');
INSERT INTO metric VALUES(0,'steady_step_upper_quartile_ns',NULL,NULL,1000000,'ns');
INSERT INTO metric VALUES(0,'steady_step_max_ns',NULL,NULL,1000000,'ns');
INSERT INTO metric VALUES(0,'slice_count',NULL,NULL,6,'count');
INSERT INTO metric VALUES(0,'python_frame_count',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_host',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_device',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_steps',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_launches',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_idle',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_one_clock',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_gaudi',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_framework',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_training',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_loop',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_gpu',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_mme',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_data_types',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_bridge',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_fallbacks',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_compiles',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_communication',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_shapes',NULL,NULL,1,'count');
INSERT INTO metric VALUES(0,'has_stacks',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_side_metrics',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_side_log',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_recipe_cache',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_fallback_counts',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_hw_ops',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_node_stats',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_memory',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_memory_growth',NULL,NULL,0,'count');
INSERT INTO metric VALUES(0,'has_ranks',NULL,NULL,0,'count');
CREATE TABLE gap (
	id INTEGER PRIMARY KEY, -- gap number
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	step_id INTEGER, -- step.id of the step that waits (the one that launches the next work)
	ts INTEGER NOT NULL, -- ns: start of the cause; of the first one for summed rows
	dur INTEGER NOT NULL, -- ns
	cause TEXT NOT NULL, -- see docs/gaps.md: dataloader, input_copy, compile, setup, graph_build, dispatch, launch, sync, cpu_fallback, output_copy, collective, host_other, no_work, queued, unknown
	host_slice_id INTEGER, -- slice.id of the host slice that covers most of it
	next_launch_slice_id INTEGER, -- slice.id of the host call that launched the work which ends the gap
	launch_delay_ns INTEGER, -- ns: from that call's start to the start of its work
	count INTEGER NOT NULL, -- gaps in the row: 1, or more for summed rows
	gap_ts INTEGER, -- ns: start of the whole gap, which may have a row per cause; NULL for summed rows
	gap_dur INTEGER, -- ns: the whole gap
	is_hole INTEGER NOT NULL -- 1 for a gap within one graph launch: operations are missing from the trace there, so the device may have been busy (cause unknown)
) STRICT;
INSERT INTO gap VALUES(1,0,'0',1,1500000,700000,'host_other',0,NULL,NULL,1,1500000,700000,0);
CREATE TABLE exposed_transfer (
	id INTEGER PRIMARY KEY, -- number
	trace_id INTEGER NOT NULL, -- trace.id
	step_id INTEGER, -- step.id of the host step that contains its start; NULL outside of steps
	ts INTEGER NOT NULL, -- ns: start; of the first one for summed rows
	dur INTEGER NOT NULL, -- ns
	late_ns INTEGER NOT NULL, -- ns: part of it before the host began to launch the next work; all of it when that launch is not known, 0 when no work follows
	count INTEGER NOT NULL -- intervals in the row: 1, or more for summed rows
) STRICT;
CREATE TABLE op_total (
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	category TEXT, -- as in device_op
	name TEXT, -- operation
	engine TEXT NOT NULL, -- as in device_op
	kind TEXT NOT NULL, -- as in device_op
	data_type TEXT, -- args.dataType on Gaudi; NULL when not recorded
	count INTEGER NOT NULL, -- operations, not counting those without an end
	dur_ns INTEGER NOT NULL, -- ns: sum of durations over lanes
	exclusive_ns INTEGER NOT NULL, -- ns: busy time attributed to this operation; where several run, it goes to the engine of highest priority (mme > tpc > dma; compute > communication > copy; operations that only wait, mark device_wait, come last); adds up to the busy time
	min_ns INTEGER NOT NULL, -- ns: shortest
	max_ns INTEGER NOT NULL, -- ns: longest
	class TEXT, -- label.class
	precision TEXT NOT NULL DEFAULT 'unknown', -- precision of data_type, else label.precision
	collective TEXT, -- label.collective
	phase TEXT, -- label.phase
	mark TEXT -- label.mark
) STRICT;
INSERT INTO op_total VALUES(0,'0','kernel','gemm, "fast"','compute','kernel',NULL,1,300000,300000,300000,300000,'matrix','unknown',NULL,NULL,NULL);
INSERT INTO op_total VALUES(0,'0','kernel','relu','compute','kernel',NULL,1,100125,100125,100125,100125,'elementwise','unknown',NULL,NULL,NULL);
CREATE TABLE lane_total (
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	engine TEXT, -- as in device_op; NULL when the lane ran operations of several engines
	lane TEXT, -- name of the lane, such as "TPC 3" or "stream 7"
	track_id INTEGER NOT NULL, -- track.id
	op_count INTEGER NOT NULL, -- operations, not counting those without an end
	busy_ns INTEGER NOT NULL -- ns: union of the lane's operations; lanes overlap, so sums over lanes may exceed the device's busy time
) STRICT;
INSERT INTO lane_total VALUES(0,'0','compute','stream 7',1,2,400125);
CREATE TABLE recipe_total (
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	recipe TEXT, -- "name #id", or "#id" without a name; NULL for work that names no recipe
	op_count INTEGER NOT NULL, -- operations, not counting those without an end
	exclusive_ns INTEGER NOT NULL -- ns: busy time attributed to the recipe's operations, as in op_total; adds up to device_busy_ns
) STRICT;
CREATE TABLE host_total (
	trace_id INTEGER NOT NULL, -- trace.id
	category TEXT, -- slice category
	name TEXT, -- slice name
	role TEXT, -- label.role
	count INTEGER NOT NULL, -- slices
	dur_ns INTEGER NOT NULL, -- ns: sum of durations
	self_ns INTEGER NOT NULL, -- ns: sum of durations without the time of nested slices
	self_exposed_ns INTEGER NOT NULL DEFAULT 0, -- ns: part of self_ns, within the analysed steps (without steps: the host time), in which no device works
	exposed_ns INTEGER NOT NULL, -- ns: part of the union of its slices, within the analysed steps (without steps: the host time), in which no device works
	is_launching INTEGER NOT NULL, -- 1 when some of them ran on a thread that launches work, or on one of the Gaudi runtime
	class TEXT, -- label.class
	collective TEXT, -- label.collective
	phase TEXT, -- label.phase
	mark TEXT, -- label.mark
	outer_count INTEGER NOT NULL DEFAULT 0, -- slices not nested in another slice of the same mark on their thread (an optimizer step that another one calls is nested); all slices for names without a mark
	outer_ns INTEGER NOT NULL DEFAULT 0, -- ns: sum of their durations
	outer_exposed_ns INTEGER NOT NULL DEFAULT 0, -- ns: their exposed_ns
	optimizer_count INTEGER NOT NULL DEFAULT 0 -- slices within an optimizer step, on its thread
) STRICT;
INSERT INTO host_total VALUES(0,'user_annotation','ProfilerStep#1',NULL,1,1000000,949500,649500,700000,1,NULL,NULL,NULL,'profiler_step',1,1000000,700000,0);
INSERT INTO host_total VALUES(0,'user_annotation','ProfilerStep#2',NULL,1,1000000,1000000,899875,899875,1,NULL,NULL,NULL,'profiler_step',1,1000000,899875,0);
INSERT INTO host_total VALUES(0,'cpu_op','aten::mm','dispatch',1,50500,45500,45500,50500,1,'matrix',NULL,NULL,NULL,1,50500,50500,0);
INSERT INTO host_total VALUES(0,'cuda_runtime','cudaLaunchKernel','launch',1,5000,5000,5000,5000,1,NULL,NULL,NULL,'kernel_launch',1,5000,5000,0);
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
	transfer_ns INTEGER NOT NULL, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the next work
	in_copy INTEGER NOT NULL, -- 1 when the framework operation right around it is a copy (aten::to, aten::_to_copy, aten::copy_)
	follows_loader INTEGER NOT NULL, -- 1 when its thread ran no operation but copies since its last loader call
	caller TEXT, -- innermost framework operation around it, such as aten::item
	python TEXT, -- innermost Python frame around it, when stacks were recorded
	detail TEXT -- recipe of a compile, bytes of a copy: JSON text or NULL
) STRICT;
CREATE TABLE host_block (
	id INTEGER PRIMARY KEY, -- host_event.id
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- sync, input_copy, cpu_fallback or dataloader
	role TEXT NOT NULL, -- label.role; for the copies of a fallback output_copy, then input_copy
	name TEXT NOT NULL, -- slice name
	caller TEXT, -- framework operation around it
	python TEXT, -- innermost Python frame around it
	step INTEGER, -- step.number; NULL in a trace without steps
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	exposed_ns INTEGER NOT NULL, -- ns: part of it in which no device works
	idle_ns INTEGER NOT NULL, -- ns: device idle until the next block that is not a loader call; 0 for loader calls
	next_idle_ns INTEGER NOT NULL, -- ns: device idle until the next block of any kind, without idle time caused by the loader
	host_idle_ns INTEGER NOT NULL, -- ns: part of next_idle_ns caused by graph building, operations, launches and Python
	transfer_ns INTEGER NOT NULL, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the next work
	after_transfer_ns INTEGER NOT NULL, -- ns: such copies from its end to the end of the next block that is not a loader call, without that block's transfer_ns; 0 for loader calls
	next_transfer_ns INTEGER NOT NULL, -- ns: the same for the next block of any kind
	cost_ns INTEGER NOT NULL, -- ns: idle time and such copies attributed to it, at most dur; no limit for a fallback, which is two copies and the time between
	held_ns INTEGER NOT NULL -- ns: part of host_idle_ns attributed to it
) STRICT;
CREATE TABLE wait_release (
	slice_id INTEGER PRIMARY KEY, -- slice.id of the host slice that waits
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device of the operation, as in device_op.device
	op_slice_id INTEGER NOT NULL, -- slice.id of the device operation
	op_end INTEGER NOT NULL, -- ns: its end
	launch_slice_id INTEGER -- slice.id of the host call that launched it; NULL when not known
) STRICT;
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
	launch_slice_id INTEGER, -- slice.id of the next graph launch of its thread; NULL when the next compile comes first
	recipe TEXT, -- recipe it produces, "name #id"; NULL when neither its args nor the work of that launch name one
	recipe_source TEXT, -- args or launch: where the name was found
	op_count INTEGER NOT NULL, -- operations it compiled; 0 when none are recorded
	op_sequence TEXT, -- hash of their names in order, the same in all traces; NULL when op_count is 0
	kind TEXT NOT NULL, -- first: neither its recipe name nor its op_sequence was compiled before in this trace; again: one of them was; unknown: it has neither
	previous_id INTEGER, -- kind again: compile.id of the previous compilation of the same recipe, else of the same op_sequence
	changed TEXT, -- kind again: what changed: nothing (same recipe), shapes, other (same operations and shapes, so a constant or a setting), unknown (shapes are not recorded)
	changed_slice_id INTEGER -- changed shapes: slice.id of the first operation whose input sizes differ
) STRICT;
CREATE TABLE compile_op (
	compile_id INTEGER NOT NULL, -- compile.id
	ord INTEGER NOT NULL, -- position among its operations, from 1
	slice_id INTEGER NOT NULL, -- slice.id of the host slice
	PRIMARY KEY (compile_id, ord)
) STRICT, WITHOUT ROWID;
CREATE TABLE framework_shape (
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- matmul
	name TEXT NOT NULL, -- slice name
	input_dims TEXT, -- JSON list of the inputs' sizes, when recorded
	input_types TEXT, -- JSON list of the inputs' types, when recorded
	count INTEGER NOT NULL, -- slices
	dur_ns INTEGER NOT NULL -- ns: sum of their durations
) STRICT;
INSERT INTO framework_shape VALUES(0,'matmul','aten::mm','[[2,3],[3,4]]',NULL,1,50500);
CREATE TABLE framework_op (
	id INTEGER PRIMARY KEY, -- row number
	trace_id INTEGER NOT NULL, -- trace.id
	slice_id INTEGER NOT NULL, -- slice.id
	kind TEXT NOT NULL, -- matmul, convolution, batch_norm, bias_add (of a convolution), bias_sum (of its gradient), check (for NaN or infinity), row_loop (16 or more aten::select in one step, each at most 1 ms after the one before; from the first, which is slice_id, to the end of the last), copy, all_reduce, host_collective (through gloo or MPI), ddp_forward, batch (the loop asks its loader for the next), optimizer_step, backward (the first node of a step, and after each ddp_forward or batch) or printing
	name TEXT NOT NULL, -- slice name
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	thread_id INTEGER NOT NULL, -- thread.id of the operating-system thread
	step_id INTEGER, -- step.id of the step that contains its start; NULL outside of steps
	previous_slice_id INTEGER, -- slice.id of the framework operation that ended last before it on its track; for a copy within aten::to, before that; for a batch_norm, the convolution before it, skipping additions
	previous TEXT, -- name of the previous operation
	previous_size TEXT, -- copies from the host or without a launch call, with previous_is_host = 1: JSON list, size of what the previous operation made, when recorded
	previous_dur INTEGER, -- ns: for the same copies, duration of the previous operation
	previous_is_host INTEGER NOT NULL, -- 1 when the previous operation made no device call
	launch_count INTEGER NOT NULL, -- launch calls within it
	launch_slice_id INTEGER, -- slice.id of the launch call within it; NULL unless there is exactly one
	input_copy_count INTEGER NOT NULL, -- copies to the device within it
	device_ns INTEGER, -- ns: copy, bias_add, bias_sum and check: sum of the device work that launch_slice_id launched; NULL when not known
	exclusive_ns INTEGER, -- ns: the same work, each operation weighted with its exclusive share (op_total)
	input_dims TEXT, -- matmul, convolution, batch_norm, copy: JSON list of the inputs' sizes, when recorded
	input_types TEXT, -- JSON list of the inputs' types, when recorded
	sequence_number INTEGER -- autograd's sequence number, recorded when gradients are enabled, in steps without a backward pass or optimizer step; NULL elsewhere
) STRICT;
INSERT INTO framework_op VALUES(1,0,2,'matmul','aten::mm',1100000,50500,0,0,NULL,NULL,NULL,NULL,0,1,3,0,NULL,NULL,'[[2,3],[3,4]]',NULL,NULL);
CREATE TABLE job_rank (
	trace_id INTEGER PRIMARY KEY, -- trace.id
	job_id INTEGER NOT NULL, -- the lowest trace.id of the job
	rank INTEGER NOT NULL, -- rank in the job
	world_size INTEGER NOT NULL, -- ranks in the job, in the store or not
	by_guess INTEGER NOT NULL, -- 1 when the times of the traces do not all overlap, so only world size and ranks suggest one job
	matched_count INTEGER NOT NULL, -- its collectives that were matched on all recorded ranks of their group, two or more
	late_count INTEGER, -- matched collectives in which it arrived last of the recorded ranks; NULL without any, as are the columns below
	wait_ns INTEGER, -- ns: sum of collective.wait_ns; NULL where ranks are not recorded, as are the next two
	exposed_wait_ns INTEGER, -- ns: sum of collective.exposed_wait_ns
	start_wait_ns INTEGER, -- ns: collective.exposed_wait_ns of its first collective
	clock_offset_ns INTEGER, -- ns: median of collective.end_offset_ns: how far its clock is ahead
	apart_ns INTEGER, -- ns: sum of the differences between end_offset_ns and clock_offset_ns
	late_order INTEGER, -- place among the ranks that make the others wait, from 1: that for which they wait longest when nobody waits for those before it; NULL when it wins nothing, or was not replayed
	late_gain_ns INTEGER, -- ns: wall time that the job wins when nobody waits for this rank: the median of the other ranks, over the longest recording
	late_together_ns INTEGER -- ns: the same when nobody waits for it and for those with a lower late_order
) STRICT;
CREATE TABLE collective (
	slice_id INTEGER PRIMARY KEY, -- slice.id
	trace_id INTEGER NOT NULL, -- trace.id
	job_id INTEGER NOT NULL, -- job_rank.job_id
	device TEXT NOT NULL, -- device, as in device_op.device
	lane TEXT, -- Gaudi: the NIC lane, since each lane carries a part; NULL elsewhere
	name TEXT NOT NULL, -- args."Collective name", else the name of the operation
	group_name TEXT, -- name and ranks of the process group; NULL when not recorded
	group_size INTEGER NOT NULL, -- ranks that take part; the world size when not recorded
	step INTEGER, -- step.number of the step that launched it, where number counts within that; NULL where it counts over the recording
	number INTEGER NOT NULL, -- args.Seq, else its position among collectives of the same name and group, from the last, which is 0
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration
	match_id INTEGER, -- the lowest slice_id of the same collective on all its recorded ranks; NULL when it could not be matched
	rank_count INTEGER, -- ranks matched
	early_ns INTEGER, -- ns: how much earlier than the last of the matched ranks it arrived: dur minus the shortest dur of the match
	wait_ns INTEGER, -- ns: wait for the last rank to arrive: early_ns; the rest of dur is transfer. NULL where ranks of the group are not recorded
	exposed_wait_ns INTEGER, -- ns: part of wait_ns not covered by compute or by an earlier wait of the trace
	end_offset_ns INTEGER, -- ns: its end on the clock of its rank, minus the mean end of the match
	kind TEXT -- all_reduce, all_gather, ...: see docs/names.md; NULL when the name does not show it
) STRICT;
CREATE TABLE finding (
	id INTEGER PRIMARY KEY, -- position in the ranking, from 1
	trace_id INTEGER NOT NULL, -- trace.id
	heuristic TEXT NOT NULL, -- id of the heuristic
	title TEXT NOT NULL, -- what is wrong, in one line
	severity TEXT NOT NULL, -- high, medium, low or info
	confidence TEXT NOT NULL, -- measured, inferred or guessed
	gain_ns INTEGER, -- ns: upper bound of the wall time a fix wins back; NULL without an estimate
	gain_pct REAL, -- pct of the analysed wall time
	sql TEXT NOT NULL -- query that reproduces the evidence
) STRICT;
INSERT INTO finding VALUES(1,0,'host-bound','The host cannot feed the device fast enough','info','measured',28400,1.4199999999999999289,replace('WITH own AS (\n  SELECT g.cause, g.step, g.dur, g.count, l.name\n  FROM steady_gap g LEFT JOIN slice_row s ON s.id = g.host_slice_id\n    LEFT JOIN label l ON l.id = s.label_id\n  WHERE g.trace_id = 0\n    AND g.cause IN (''graph_build'', ''dispatch'', ''launch'', ''host_other'')\n    AND coalesce(g.cause = ''launch'' AND g.count = 1 AND s.dur >= 1000000\n      AND l.mark = ''kernel_launch'', 0) = 0),\none AS (\n  SELECT cause, step, dur_ns, row_number() OVER (PARTITION BY cause\n      ORDER BY dur_ns DESC, step) AS place\n  FROM (SELECT cause, step, sum(dur) AS dur_ns FROM own\n    WHERE step IS NOT NULL GROUP BY cause, step)),\nwait AS (\n  SELECT g.cause, g.name AS host_op, sum(g.dur) AS dur_ns, sum(g.count) AS gaps,\n    max(CASE WHEN g.count = 1 THEN g.dur END) AS longest_ns,\n    sum(iif(g.cause = ''host_other'' AND g.count = 1 AND g.name IS NULL, g.dur, 0))\n      AS unrecorded_ns\n  FROM own g GROUP BY g.cause, g.name),\ncause AS (\n  SELECT cause, sum(dur_ns) AS dur_ns, sum(gaps) AS gaps, max(longest_ns) AS longest_ns,\n    sum(unrecorded_ns) AS unrecorded_ns\n  FROM wait GROUP BY cause),\nheld AS (\n  SELECT coalesce(sum(held_ns), 0) AS held_ns FROM host_block WHERE trace_id = 0),\ntotal AS (\n  SELECT sum(c.dur_ns) AS dur_ns, max(sum(c.dur_ns) - h.held_ns, 0) AS own_ns,\n    min(h.held_ns, sum(c.dur_ns)) AS held_ns\n  FROM cause c JOIN held h),\nslice AS (\n  SELECT CASE WHEN role IS NULL THEN ''host_other'' ELSE role END AS cause, name,\n    sum(self_exposed_ns) AS own_ns\n  FROM host_total\n  WHERE trace_id = 0 AND is_launching AND self_exposed_ns > 0\n    AND name NOT IN (SELECT name FROM step WHERE trace_id = 0)\n  GROUP BY 1, name),\ntop AS (\n  SELECT cause, name AS host_op, own_ns,\n    row_number() OVER (PARTITION BY cause ORDER BY own_ns DESC, name) AS place\n  FROM slice)\nSELECT\n  CASE c.cause WHEN ''graph_build'' THEN ''building graphs''\n    WHEN ''dispatch'' THEN ''framework operations''\n    WHEN ''launch'' THEN ''launch calls''\n    ELSE ''Python and everything else'' END AS subject,\n  CAST(c.dur_ns * 1.0 * x.own_ns / x.dur_ns AS INTEGER) AS gain_ns,\n  ''measured'' AS confidence,\n  c.gaps AS count,\n  c.dur_ns AS idle_ns,\n  c.dur_ns * 100.0 / w.wall_ns AS wall_pct,\n  c.dur_ns / c.gaps AS mean_gap_ns,\n  c.longest_ns AS longest_gap_ns,\n  t.host_op AS top_host_op,\n  t.own_ns AS top_host_op_ns,\n  CASE WHEN w.step_count > 0 THEN c.dur_ns / w.step_count END AS idle_per_step_ns,\n  c.unrecorded_ns AS unrecorded_ns,\n  o.step AS mostly_in_step,\n  x.held_ns AS after_waits_ns,\n  (SELECT group_concat(CASE r.name WHEN ''stacks'' THEN ''Python stacks'' ELSE ''memory events'' END,\n      '' and '') FROM (SELECT p.name FROM capability p WHERE p.trace_id = 0\n      AND p.present AND p.name IN (''stacks'', ''memory'') ORDER BY p.name DESC) r) AS recorded\nFROM cause c\nJOIN total x\nJOIN steady w ON w.trace_id = 0\nLEFT JOIN top t ON t.cause = c.cause AND t.place = 1\nLEFT JOIN one o ON o.cause = c.cause AND o.place = 1 AND w.step_count > 3\n  AND o.dur_ns * 100.0 >= 67 * c.dur_ns\nWHERE x.own_ns * 100.0 >= 5 * w.wall_ns AND c.dur_ns > 0\nORDER BY c.dur_ns DESC, c.cause','\n',char(10)));
INSERT INTO finding VALUES(2,0,'few-steps','Too few steps for stable numbers','info','measured',NULL,NULL,replace('SELECT\n  count(*) || '' complete step'' || CASE WHEN count(*) > 1 THEN ''s'' ELSE '''' END AS subject,\n  NULL AS gain_ns,\n  ''measured'' AS confidence,\n  count(*) AS count,\n  0 AS serious,\n  CAST(avg(s.dur) AS INTEGER) AS mean_step_ns\nFROM step s\nWHERE s.trace_id = 0\nHAVING count(*) < 3\nORDER BY subject','\n',char(10)));
CREATE TABLE evidence (
	finding_id INTEGER NOT NULL, -- finding.id
	ord INTEGER NOT NULL, -- position under the finding, from 1
	subject TEXT NOT NULL, -- what the row is about: an operation, a step, a thread
	gain_ns INTEGER, -- ns: gain of this row
	count INTEGER, -- occurrences
	data TEXT NOT NULL -- the row's columns as a JSON object
) STRICT;
INSERT INTO evidence VALUES(1,1,'Python and everything else',28400,1,'{"subject":"Python and everything else","gain_ns":700000,"confidence":"measured","count":1,"idle_ns":700000,"wall_pct":35,"mean_gap_ns":700000,"longest_gap_ns":700000,"top_host_op":null,"top_host_op_ns":null,"idle_per_step_ns":350000,"unrecorded_ns":0,"mostly_in_step":null,"after_waits_ns":0,"recorded":null}');
INSERT INTO evidence VALUES(2,1,'2 complete steps',NULL,2,'{"subject":"2 complete steps","gain_ns":null,"confidence":"measured","count":2,"serious":0,"mean_step_ns":1000000}');
CREATE TABLE account (
	trace_id INTEGER NOT NULL, -- trace.id
	heuristic TEXT NOT NULL, -- id of the heuristic
	outcome TEXT NOT NULL, -- fired, quiet, not_applicable, not_asked (left out by a setting) or failed
	reason TEXT -- why it does not apply, was not asked or failed
) STRICT;
INSERT INTO account VALUES(0,'truncated-trace','quiet',NULL);
INSERT INTO account VALUES(0,'dropped-events','quiet',NULL);
INSERT INTO account VALUES(0,'no-device-events','quiet',NULL);
INSERT INTO account VALUES(0,'no-host-events','quiet',NULL);
INSERT INTO account VALUES(0,'no-steps','quiet',NULL);
INSERT INTO account VALUES(0,'few-steps','fired',NULL);
INSERT INTO account VALUES(0,'steps-without-device-work','quiet',NULL);
INSERT INTO account VALUES(0,'warm-up-in-trace','quiet',NULL);
INSERT INTO account VALUES(0,'clock-skew','quiet',NULL);
INSERT INTO account VALUES(0,'zero-timestamps','quiet',NULL);
INSERT INTO account VALUES(0,'profiler-overhead','quiet',NULL);
INSERT INTO account VALUES(0,'dataloader-bound','quiet',NULL);
INSERT INTO account VALUES(0,'input-copy-blocking','quiet',NULL);
INSERT INTO account VALUES(0,'host-bound','fired',NULL);
INSERT INTO account VALUES(0,'runtime-setup','quiet',NULL);
INSERT INTO account VALUES(0,'fwd-bwd-pipelining','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'recompilation','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'operator-compilation','quiet',NULL);
INSERT INTO account VALUES(0,'loop-constant-recompilation','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'dynamic-shapes','quiet',NULL);
INSERT INTO account VALUES(0,'cpu-fallback','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'device-sync','quiet',NULL);
INSERT INTO account VALUES(0,'blocking-memset','quiet',NULL);
INSERT INTO account VALUES(0,'progress-printing','not_applicable','no Python frames in the trace; record with with_stack=True');
INSERT INTO account VALUES(0,'cpu-created-tensors','quiet',NULL);
INSERT INTO account VALUES(0,'for-loop-indexing','quiet',NULL);
INSERT INTO account VALUES(0,'debug-apis','quiet',NULL);
INSERT INTO account VALUES(0,'unfused-optimizer','not_applicable','the run is inference, and this applies to training only');
INSERT INTO account VALUES(0,'unfused-clip-norm','not_applicable','the run is inference, and this applies to training only');
INSERT INTO account VALUES(0,'zero-grad-memset','not_applicable','the run is inference, and this applies to training only');
INSERT INTO account VALUES(0,'garbage-collection','quiet',NULL);
INSERT INTO account VALUES(0,'grad-in-inference','quiet',NULL);
INSERT INTO account VALUES(0,'recipe-cache-eviction','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'recipe-cache-miss','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'exposed-graph-nodes','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'mme-low-precision','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'gemm-fp32','quiet',NULL);
INSERT INTO account VALUES(0,'mme-tpc-overlap','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'tpc-bound','not_applicable','this applies to Intel Gaudi only');
INSERT INTO account VALUES(0,'small-kernels','quiet',NULL);
INSERT INTO account VALUES(0,'dma-exposed','quiet',NULL);
INSERT INTO account VALUES(0,'layout-transposes','quiet',NULL);
INSERT INTO account VALUES(0,'pointwise-fusion','quiet',NULL);
INSERT INTO account VALUES(0,'unfused-attention','quiet',NULL);
INSERT INTO account VALUES(0,'weight-copies','quiet',NULL);
INSERT INTO account VALUES(0,'matmul-dims','quiet',NULL);
INSERT INTO account VALUES(0,'conv-bias-before-norm','quiet',NULL);
INSERT INTO account VALUES(0,'batch-size-headroom','not_applicable','no allocator events in the trace; record with profile_memory=True');
INSERT INTO account VALUES(0,'exposed-communication','not_applicable','no collectives in the trace');
INSERT INTO account VALUES(0,'small-gradient-buckets','not_applicable','no collectives in the trace');
INSERT INTO account VALUES(0,'gradient-bucket-copies','not_applicable','no collectives in the trace');
INSERT INTO account VALUES(0,'redundant-allreduce','not_applicable','no collectives in the trace');
INSERT INTO account VALUES(0,'ddp-buffer-broadcasts','not_applicable','no collectives in the trace');
INSERT INTO account VALUES(0,'unused-parameters','quiet',NULL);
INSERT INTO account VALUES(0,'data-parallel-module','quiet',NULL);
INSERT INTO account VALUES(0,'slow-backend','quiet',NULL);
INSERT INTO account VALUES(0,'rank-straggler','not_applicable','one rank only; give the traces of all ranks together');
INSERT INTO account VALUES(0,'memory-near-limit','not_applicable','no allocator events in the trace; record with profile_memory=True');
INSERT INTO account VALUES(0,'memory-defragmentation','not_applicable','no allocator events with steps in the trace and no side file with counts of defragmentations; record with profile_memory=True, or add a metrics file with --with FILE');
INSERT INTO account VALUES(0,'checkpointing-with-room','not_applicable','no allocator events in the trace; record with profile_memory=True');
CREATE TABLE side_file (
	id INTEGER PRIMARY KEY, -- side file number, from 0 in the order of import
	trace_id INTEGER NOT NULL, -- trace.id of the trace it belongs to
	path TEXT NOT NULL, -- path of the file as given or found
	kind TEXT NOT NULL, -- metrics-json, metrics-text, log, hw-csv or node-csv
	origin TEXT NOT NULL, -- given (--with) or found (beside the trace, by its name)
	read_bytes INTEGER NOT NULL, -- bytes: size of the decompressed file
	row_count INTEGER NOT NULL, -- rows it added to the tables below
	damaged_count INTEGER NOT NULL -- lines or records that could not be read
) STRICT;
CREATE TABLE side_metric (
	trace_id INTEGER NOT NULL, -- trace.id
	source INTEGER NOT NULL, -- side_file.id
	metric TEXT NOT NULL, -- graph_compilation, cpu_fallback, memory_defragmentation, recipe_cache, ...
	triggered_by TEXT, -- what triggered the dump: process_exit, mark_step, metric_change, user
	generated_on TEXT, -- local time of the dump, as in the file
	ord INTEGER NOT NULL, -- position of the dump in its file, from 1
	name TEXT NOT NULL, -- TotalNumber, TotalTime, FallbackOps, ...
	item TEXT, -- member of a nested value: operation, recipe; NULL for plain values
	value ANY -- as the file gives it: graph_compilation in us, memory_defragmentation in ms
) STRICT;
CREATE TABLE side_log (
	trace_id INTEGER NOT NULL, -- trace.id
	source INTEGER NOT NULL, -- side_file.id
	line INTEGER NOT NULL, -- line number, from 1
	kind TEXT NOT NULL, -- cpu_fallback, cpu_fallback_total, recipe_eviction, recipe_over_limit, recipe_hit, recipe_miss or graph_compile
	subject TEXT, -- operation with its namespace, recipe, key, or name of the step; NULL when not logged
	count INTEGER NOT NULL, -- occurrences that the line reports
	value INTEGER, -- size of the cache as logged (recipe_eviction, recipe_over_limit), us of compiling (graph_compile); NULL when not logged
	text TEXT NOT NULL -- the line
) STRICT;
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
CREATE TABLE hw_counter (
	trace_id INTEGER NOT NULL, -- trace.id
	source INTEGER NOT NULL, -- side_file.id
	device TEXT, -- device as the file names it
	engine TEXT NOT NULL, -- engine
	name TEXT NOT NULL, -- counter
	ts INTEGER NOT NULL, -- ns: on the profiler's clock
	value REAL NOT NULL -- as the file gives it
) STRICT;
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
	bundle INTEGER, -- index of the node's bundle
	mme_node TEXT, -- MME node it comes from
	strategy TEXT, -- how the MME traverses the node
	input_shapes TEXT, -- as the file gives them
	input_types TEXT, -- as the file gives them
	output_shapes TEXT, -- as the file gives them
	output_types TEXT -- as the file gives them
) STRICT;
CREATE TABLE import_log (
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- see docs/import-log.md
	severity TEXT NOT NULL, -- info, data_loss or error
	byte_offset INTEGER, -- offset in the decompressed input; NULL when it has none
	count INTEGER NOT NULL, -- occurrences, or bytes for the kinds that skip bytes
	message TEXT -- what and where
) STRICT;
CREATE TABLE whatif (
	trace_id INTEGER NOT NULL, -- trace.id
	fix TEXT NOT NULL, -- id of the heuristic
	edit TEXT NOT NULL, -- what was changed, see docs/edits.md
	gain_ns INTEGER NOT NULL, -- ns: wall time won; 0 where the edit changes nothing, or nothing waits for what it changes
	step_before_ns INTEGER, -- ns: a steady step as recorded; NULL with fewer than 3 complete steps, or when nothing is changed
	step_after_ns INTEGER, -- ns: the same in the replay
	removed_ns INTEGER NOT NULL, -- ns: host time, device work and waits that the edit takes away; gain_ns is not more
	PRIMARY KEY (trace_id, fix)
) STRICT, WITHOUT ROWID;
INSERT INTO whatif VALUES(0,'blocking-memset','remove mark = blocking_fill within-steps',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'checkpointing-with-room','scale device in mark = recompute by 0.67',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'conv-bias-before-norm','remove device class = elementwise, reduction in class = convolution',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'cpu-created-tensors','remove host class = memset, random before mark = copy_carrier; remove role = input_copy after class = memset, random with-work; remove role = sync in mark = copy_carrier after class = memset, random with-work',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'cpu-fallback','remove host role = cpu_fallback with-work',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'dataloader-bound','remove role = dataloader not in mark = loader_main; scale host in mark = loader_main by 0.3',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'ddp-buffer-broadcasts','remove device collective = broadcast in mark = ddp_forward',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'debug-apis','remove host mark = debug_check, debug_answer, debug_tool with-work; remove role = sync, output_copy after mark = debug_check, debug_answer with-work; remove host mark = read_carrier, bridge_cut after mark = debug_check, debug_answer',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'device-sync','remove role = sync, output_copy within-steps not in role = input_copy, cpu_fallback, dataloader not in mark = copy_carrier; remove host mark = read_carrier within-steps not in role = cpu_fallback; remove device kind = memcpy in role = output_copy not in role = cpu_fallback; remove device kind = memcpy direction = DtoH in role = sync',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'dma-exposed','remove device engine = dma, copy not kind = memset',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'dynamic-shapes','remove role = compile steady',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'exposed-communication','hide device engine = nic, communication repeated by 0.5',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'for-loop-indexing','remove host row-loop with-work',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'fwd-bwd-pipelining','scale own role = graph_build, dispatch by 0.5',17750,NULL,NULL,22750);
INSERT INTO whatif VALUES(0,'garbage-collection','remove mark = garbage within-steps',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'gemm-fp32','scale class = matrix, convolution, attention precision = fp32 by 0.5',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'gradient-bucket-copies','remove host mark = ddp_copy launches; remove device in mark = ddp_copy',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'host-bound','scale own role = dispatch, graph_build not in role = input_copy, output_copy, cpu_fallback by 0.2; scale own host launches not role = launch, dataloader, sync, collective, compile, setup not mark = profiler_step not in role = input_copy, output_copy, cpu_fallback by 0.2; scale own role = launch shorter = 1000000 not in role = input_copy, output_copy, cpu_fallback by 0.2',28400,NULL,NULL,40400);
INSERT INTO whatif VALUES(0,'input-copy-blocking','nowait role = input_copy; nowait role = sync in mark = copy_carrier; nowait device direction = HtoD; scale device direction = HtoD in role = input_copy by 0.4',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'layout-transposes','remove device class = transpose with-launches',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'loop-constant-recompilation','remove role = compile steady',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'mme-low-precision','scale engine = mme precision = fp32 by 0.5',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'mme-tpc-overlap','overlap engine = mme, tpc by 0.4',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'operator-compilation','remove role = compile steady',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'pointwise-fusion','remove device mark = fusible repeated',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'progress-printing','remove role = sync, output_copy before mark = printing with-work; remove role = sync, output_copy in mark = printing with-work; remove host mark = read_carrier before mark = printing; remove host mark = printing',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'rank-straggler','nowait rank = late',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'recompilation','remove role = compile steady',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'redundant-allreduce','remove device engine = nic, communication collective = all_reduce adding-pass; remove host mark = ddp_divide, ddp_copy adding-pass',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'runtime-setup','remove role = setup steady',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'slow-backend','remove host mark = host_backend with-work',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'small-gradient-buckets','scale engine = nic, communication by 0.1',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'small-kernels','remove device kind = kernel shorter = 10000 repeated not engine = mme, nic, communication with-launches',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'unfused-attention','remove device around-softmax with-launches; scale device softmax-product by 0.5',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'unfused-clip-norm','remove host class = gradient_norm with-work; remove device class = gradient_norm',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'unfused-optimizer','fuse device in mark = optimizer_step kind = kernel by 0.1; fuse device class = update by 0.1; scale own in mark = optimizer_step by 0.1',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'unused-parameters','remove mark = ddp_search with-work',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'weight-copies','remove device kind = memcpy before class = matrix, convolution',0,NULL,NULL,0);
INSERT INTO whatif VALUES(0,'zero-grad-memset','remove mark = zero_grad',0,NULL,NULL,0);
CREATE TABLE whatif_step (
	trace_id INTEGER NOT NULL, -- trace.id
	fix TEXT NOT NULL, -- whatif.fix
	step_id INTEGER NOT NULL, -- step.id
	complete_ns INTEGER NOT NULL, -- ns: end of the last work of the step, as recorded
	complete_then_ns INTEGER NOT NULL, -- ns: the same in the replay
	PRIMARY KEY (trace_id, fix, step_id)
) STRICT, WITHOUT ROWID;
INSERT INTO whatif_step VALUES(0,'fwd-bwd-pipelining',0,1500000,1495000);
INSERT INTO whatif_step VALUES(0,'fwd-bwd-pipelining',1,2300125,2277375);
INSERT INTO whatif_step VALUES(0,'host-bound',0,1500000,1488000);
INSERT INTO whatif_step VALUES(0,'host-bound',1,2300125,2259725);
CREATE TABLE critical_path (
	trace_id INTEGER NOT NULL, -- trace.id
	piece TEXT NOT NULL, -- host, device, launch (from a launch to the start of its work), queue (from the end of other work to the start), wake (from what a thread waited for to its going on), other (before the first work, or not known)
	role TEXT, -- label.role of host slices
	engine TEXT, -- engine of device work, also of that which a launch or queue piece leads to
	device TEXT, -- device of that work, as in device_op.device
	name TEXT, -- name of the slice or operation; NULL for host time under no slice
	dur_ns INTEGER NOT NULL, -- ns: on the path
	count INTEGER NOT NULL -- stretches of the path
) STRICT;
INSERT INTO critical_path VALUES(0,'host',NULL,NULL,NULL,'ProfilerStep#1',949500,2);
INSERT INTO critical_path VALUES(0,'host',NULL,NULL,NULL,'ProfilerStep#2',1000000,1);
INSERT INTO critical_path VALUES(0,'host','launch',NULL,NULL,'cudaLaunchKernel',5000,1);
INSERT INTO critical_path VALUES(0,'host','dispatch',NULL,NULL,'aten::mm',45500,2);
CREATE TABLE slack (
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT, -- device, as in device_op.device
	engine TEXT, -- engine
	name TEXT, -- operation
	count INTEGER NOT NULL, -- operations; on Gaudi the parts of one on several engines are one
	dur_ns INTEGER NOT NULL, -- ns: sum of their durations
	least_slack_ns INTEGER NOT NULL -- ns: any one of them may take so much longer; 0 on the critical path
) STRICT;
INSERT INTO slack VALUES(0,'0','compute','gemm, "fast"',1,300000,1399875);
INSERT INTO slack VALUES(0,'0','compute','relu',1,100125,699875);
CREATE TABLE plan (
	trace_id INTEGER NOT NULL, -- trace.id
	ord INTEGER NOT NULL, -- position, from 1
	fix TEXT NOT NULL, -- whatif.fix
	gain_ns INTEGER NOT NULL, -- ns: wall time won with all fixes up to this one
	step_before_ns INTEGER, -- ns: a steady step as recorded; NULL with fewer than 3 complete steps
	step_after_ns INTEGER, -- ns: a steady step with all fixes up to this one
	limit_piece TEXT, -- last row: critical_path.piece on which the critical path spends most time then
	limit_name TEXT, -- last row: its role or engine
	limit_pct REAL, -- last row: pct of the critical path
	PRIMARY KEY (trace_id, ord)
) STRICT, WITHOUT ROWID;
CREATE TABLE precision_peak (
	trace_id INTEGER NOT NULL, -- trace.id
	precision TEXT NOT NULL, -- fp64, fp32, tf32, fp16, bf16, fp8, fp4 or int8, as in label.precision
	flops_per_s REAL NOT NULL, -- floating-point operations (int8: operations) per second
	PRIMARY KEY (trace_id, precision)
) STRICT, WITHOUT ROWID;
CREATE TABLE rank_time (
	trace_id INTEGER NOT NULL, -- trace.id
	job_id INTEGER NOT NULL, -- job_rank.job_id
	part TEXT NOT NULL, -- compute (compute_busy_ns), copy (copy_exclusive_ns), or a cause of idle time (gap.cause) of the device that waits most
	ns INTEGER NOT NULL, -- ns: per step; of the whole recording without steps
	median_ns INTEGER NOT NULL, -- ns: the same of the median rank of the job
	PRIMARY KEY (trace_id, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE communication (
	slice_id INTEGER PRIMARY KEY, -- slice.id
	trace_id INTEGER NOT NULL, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	lane TEXT, -- name of the lane, such as "stream 20" or "NIC 0"
	by_lane INTEGER NOT NULL, -- 1 on NIC lanes: each carries a part of the collective
	kind TEXT NOT NULL, -- all_reduce, all_gather, ...: of args."Collective name", else of the operation's name; see docs/names.md
	name TEXT, -- operation
	group_name TEXT, -- name and ranks of the process group; NULL when not recorded
	group_size INTEGER, -- ranks that take part; NULL when not recorded
	data_type TEXT, -- args.dtype
	bytes INTEGER, -- what the collective is about, as NCCL's tests count it: the larger of what one rank gives and gets; NULL when not recorded
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration
	exposed_ns INTEGER NOT NULL -- ns: part of it in which its device computes nothing
) STRICT;
CREATE TABLE critical_stretch (
	trace_id INTEGER NOT NULL, -- trace.id
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns
	piece TEXT NOT NULL, -- as in critical_path.piece
	device TEXT, -- as in critical_path.device
	PRIMARY KEY (trace_id, ts)
) STRICT, WITHOUT ROWID;
INSERT INTO critical_stretch VALUES(0,1000000,2000000,'host',NULL);
CREATE TABLE op_tree_row (
	id INTEGER PRIMARY KEY, -- node number
	trace_id INTEGER NOT NULL, -- trace.id
	parent_id INTEGER, -- op_tree_row.id of the node around it; NULL for the outermost
	depth INTEGER NOT NULL, -- number of nodes above it
	kind TEXT NOT NULL, -- operator (of the framework), module (a call of a torch.nn.Module), range (drawn by record_function() or the framework), python (a Python frame) or call (of a runtime, and all else)
	label_id INTEGER NOT NULL, -- label.id
	shape INTEGER, -- the same number for inputs of the same sizes and types; NULL when not recorded
	phase TEXT, -- forward, backward, optimizer or loader; NULL for host slices outside of all
	op_id INTEGER, -- op_tree_row.id of the nearest operator, itself or above it
	module_id INTEGER, -- op_tree_row.id of the nearest module, itself or above it; in the backward pass that of the forward operator
	forward_id INTEGER, -- backward pass: op_tree_row.id of the operator that is differentiated
	is_outer INTEGER NOT NULL, -- 1 when no node above it has its category and name
	is_outer_shape INTEGER NOT NULL, -- 1 when no node above it has them and its shape
	slice_id INTEGER NOT NULL, -- slice.id of the first call
	count INTEGER NOT NULL, -- calls
	host_ns INTEGER NOT NULL, -- ns: sum of durations
	host_self_ns INTEGER NOT NULL, -- ns: the same without the time of slices within them
	device_count INTEGER NOT NULL, -- device operations launched in it, but not in a node of its kind below it
	device_self_ns INTEGER NOT NULL, -- ns: sum of their durations
	device_ns INTEGER NOT NULL, -- ns: sum of the durations of all device operations launched in it
	backward_ns INTEGER NOT NULL, -- ns: host time of the backward pass of the operators in it
	backward_device_ns INTEGER NOT NULL -- ns: sum of the durations of device operations launched there
) STRICT;
INSERT INTO op_tree_row VALUES(0,0,NULL,0,'operator',2,6346451391000150680,'forward',0,NULL,NULL,1,1,2,1,50500,45500,1,300000,300000,0,0);
INSERT INTO op_tree_row VALUES(1,0,0,1,'call',3,NULL,'forward',0,NULL,NULL,1,1,3,1,5000,5000,1,300000,300000,0,0);
CREATE TABLE op_kernel_row (
	trace_id INTEGER NOT NULL, -- trace.id
	node_id INTEGER, -- op_tree_row.id of the launching call; NULL when it is not known
	capture_id INTEGER, -- op_tree_row.id of the call that was captured, for operations of a replayed graph; NULL when it is not known
	label_id INTEGER NOT NULL, -- label.id
	track_id INTEGER NOT NULL, -- track.id of the lane
	count INTEGER NOT NULL, -- device operations
	dur_ns INTEGER NOT NULL, -- ns: sum of their durations
	min_ns INTEGER NOT NULL, -- ns: shortest
	max_ns INTEGER NOT NULL -- ns: longest
) STRICT;
INSERT INTO op_kernel_row VALUES(0,NULL,NULL,5,1,1,100125,100125,100125);
INSERT INTO op_kernel_row VALUES(0,1,NULL,4,1,1,300000,300000,300000);
CREATE TABLE op_work (
	node_id INTEGER PRIMARY KEY, -- op_tree.id
	trace_id INTEGER NOT NULL, -- trace.id
	work TEXT NOT NULL, -- formula: see docs/roofline.md
	is_matrix INTEGER NOT NULL, -- 1 for matrix products, convolutions and attention, which tensor and matrix cores compute
	precision TEXT NOT NULL, -- of the inputs: as in label.precision
	flops INTEGER, -- floating-point operations of a call; NULL when the arguments do not say
	bytes INTEGER, -- bytes of its inputs and results; NULL when not known
	step_count INTEGER NOT NULL -- calls that begin in a step
) STRICT;
CREATE INDEX step_by_time ON step(trace_id, ts);
CREATE INDEX op_total_by_device ON op_total(trace_id, device);
CREATE INDEX lane_total_by_device ON lane_total(trace_id, device);
CREATE INDEX recipe_total_by_device ON recipe_total(trace_id, device);
CREATE INDEX collective_by_trace ON collective(trace_id, ts);
CREATE INDEX communication_by_trace ON communication(trace_id, ts);
CREATE VIEW slice_args AS
SELECT
	s.id AS slice_id, -- slice.id
	CASE typeof(s.args) WHEN 'integer' THEN (
		SELECT printf(f.pattern, s.numbers & ((1 << f.bits) - 1),
			s.numbers >> f.bits & ((1 << f.bits) - 1), s.numbers >> 2 * f.bits)
		FROM args_form f WHERE f.id = s.args)
	ELSE s.args END AS args -- JSON text, or NULL
FROM slice_row s
;
CREATE VIEW slice AS
SELECT
	s.id AS id, -- slice number
	t.trace_id AS trace_id, -- trace.id
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration; -1 when the end is not in the file
	s.track_id AS track_id, -- track.id
	l.category AS category, -- cat of the event
	l.name AS name, -- name of the event
	coalesce(n.depth, 0) AS depth, -- enclosing slices on the same thread
	n.parent_id AS parent_id, -- slice.id of the innermost enclosing slice
	(SELECT a.args FROM slice_args a WHERE a.slice_id = s.id) AS args, -- JSON text
	iif(s.args IS NULL, NULL, s.id) AS arg_set_id, -- args.arg_set_id; NULL without args
	l.role AS role, -- what a host slice does: see docs/roles.md
	t.thread_id AS thread_id, -- thread.id
	t.process_id AS process_id -- process.id
FROM slice_row s
JOIN track t ON t.id = s.track_id
JOIN label l ON l.id = s.label_id
LEFT JOIN slice_nest n ON n.slice_id = s.id
;
CREATE VIEW device_op AS
SELECT
	s.id AS id, -- slice.id
	s.id AS slice_id, -- the same
	t.trace_id AS trace_id, -- trace.id
	t.device AS device, -- args.device, else the pid of the lane, as text
	coalesce(iif(t.engine = 'compute', l.task_engine, NULL), t.engine, l.engine) AS engine, -- mme, tpc, dma, nic, other; or compute, copy, communication
	t.lane AS lane, -- lane within the device
	coalesce(l.kind, 'other') AS kind, -- kernel, memcpy, memset or other
	l.direction AS direction, -- copies: HtoD, DtoH, DtoD, PtoP, HtoH
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration
	l.category AS category, -- cat of the event
	l.name AS name, -- operation
	l.class AS class, -- label.class
	l.precision AS precision, -- label.precision
	l.collective AS collective, -- label.collective
	s.track_id AS track_id, -- track.id
	d.launch_slice_id AS launch_slice_id, -- slice.id of the launching host slice
	d.step_id AS step_id, -- step.id of the step that launched it
	d.method AS launch_method, -- how the launch was matched: see device_link.method; before_recording for work that belongs to no step
	(SELECT a.args FROM slice_args a WHERE a.slice_id = s.id) AS args -- JSON text
FROM slice_row s
JOIN track t ON t.id = s.track_id AND t.device IS NOT NULL
JOIN label l ON l.id = s.label_id AND (t.engine IS NOT NULL OR l.engine IS NOT NULL)
LEFT JOIN device_link d ON d.last_slice_id >= s.id AND d.first_slice_id = (
	SELECT max(r.first_slice_id) FROM device_link r WHERE r.first_slice_id <= s.id)
;
CREATE VIEW queue_depth AS
SELECT DISTINCT
	e.trace_id AS trace_id, -- trace.id
	e.device AS device, -- device, as in device_op.device
	e.ts AS ts, -- ns: the depth holds from here to the next row of the device
	sum(e.change) OVER (PARTITION BY e.trace_id, e.device ORDER BY e.ts) AS depth -- operations launched and not yet started
FROM (
	SELECT d.trace_id, d.device, l.ts, 1 AS change
	FROM device_op d
	JOIN slice_row l ON l.id = d.launch_slice_id
	UNION ALL
	SELECT d.trace_id, d.device, d.ts, -1
	FROM device_op d
	WHERE d.launch_slice_id IS NOT NULL) e
;
CREATE VIEW instant AS
SELECT
	i.id AS id, -- instant number
	i.trace_id AS trace_id, -- trace.id
	i.ts AS ts, -- ns
	i.track_id AS track_id, -- track.id
	l.category AS category, -- cat of the event
	l.name AS name, -- name of the event
	i.scope AS scope, -- thread, process or global
	i.args AS args -- JSON text
FROM instant_row i
JOIN label l ON l.id = i.label_id
;
CREATE VIEW allocation AS
SELECT
	m.id AS id, -- memory_sample.id
	m.trace_id AS trace_id, -- trace.id
	m.ts AS ts, -- ns
	m.thread_id AS thread_id, -- thread.id
	m.device_type AS device_type, -- 0 is the CPU
	m.device_id AS device_id, -- index of the device, -1 for the CPU
	m.bytes AS bytes, -- bytes: negative for a free
	m.slice_id AS slice_id, -- slice.id of the innermost host slice around it; NULL without any
	l.name AS slice, -- its name
	coalesce(r2.id, r1.id, m.slice_id) AS operator_slice_id, -- slice.id of the operation it is for: the same slice, or the one around slices that only make an empty tensor (mark allocate)
	coalesce(l2.name, l1.name, l.name) AS operator -- its name
FROM (SELECT s.*, k.slice_id AS slice_id
	FROM memory_sample s
	LEFT JOIN memory_slice k ON k.memory_id = s.id) m
LEFT JOIN slice_row r ON r.id = m.slice_id
LEFT JOIN label l ON l.id = r.label_id
LEFT JOIN slice_nest n1 ON n1.slice_id = r.id AND l.mark = 'allocate'
LEFT JOIN slice_row r1 ON r1.id = n1.parent_id
LEFT JOIN label l1 ON l1.id = r1.label_id
LEFT JOIN slice_nest n2 ON n2.slice_id = r1.id AND l1.mark = 'allocate'
LEFT JOIN slice_row r2 ON r2.id = n2.parent_id
LEFT JOIN label l2 ON l2.id = r2.label_id
;
CREATE VIEW flow AS
SELECT
	f.id AS id, -- arrow number
	f.trace_id AS trace_id, -- trace.id
	l.category AS category, -- cat of the flow
	l.name AS name, -- name of the flow
	f.slice_out AS slice_out, -- slice.id the arrow leaves
	f.slice_in AS slice_in -- slice.id the arrow reaches
FROM flow_row f
JOIN label l ON l.id = f.label_id
;
CREATE VIEW slice_arg AS
SELECT
	s.id AS slice_id, -- slice.id
	j.key AS key, -- name of the member
	j.value AS value, -- its value; JSON text for objects and arrays
	j.type AS type -- JSON type
FROM slice s, json_each(s.args) j
WHERE s.args IS NOT NULL
;
CREATE VIEW thread_track AS
SELECT
	t.id AS id, -- track.id
	t.trace_id AS trace_id, -- trace.id
	t.name AS name, -- thread name or lane name
	t.thread_id AS utid -- thread.utid
FROM track t
WHERE t.kind IN ('thread', 'lane')
;
CREATE VIEW args AS
SELECT
	s.slice_id AS arg_set_id, -- slice.arg_set_id
	'args' || replace(substr(j.fullkey, 2), '"', '') AS key, -- path of the value: args.dims[0]
	iif(j.type IN ('integer', 'true', 'false'), j.atom, NULL) AS int_value, -- integers; 1 and 0 for true and false
	iif(j.type = 'text', j.atom, NULL) AS string_value, -- texts
	iif(j.type = 'real', j.atom, NULL) AS real_value, -- other numbers
	CASE j.type WHEN 'integer' THEN 'int' WHEN 'text' THEN 'string' WHEN 'real' THEN 'real' ELSE 'bool' END AS value_type, -- int, real, string or bool
	CASE j.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(j.atom AS TEXT) END AS display_value -- the value as text
FROM slice_args s, json_tree(s.args) j
WHERE s.args IS NOT NULL AND j.atom IS NOT NULL
;
CREATE VIEW thread_slice AS
SELECT
	s.id AS id, -- slice.id
	s.trace_id AS trace_id, -- trace.id
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration; -1 when the end is not in the file
	s.category AS category, -- cat of the event
	s.name AS name, -- name of the event
	s.track_id AS track_id, -- track.id
	t.name AS track_name, -- thread name or lane name
	h.name AS thread_name, -- thread.name
	h.utid AS utid, -- thread.utid
	h.tid AS tid, -- thread.tid
	p.name AS process_name, -- process.name
	p.upid AS upid, -- process.upid
	p.pid AS pid, -- process.pid
	s.depth AS depth, -- enclosing slices on the same thread
	s.parent_id AS parent_id, -- slice.id of the innermost enclosing slice
	s.arg_set_id AS arg_set_id -- args.arg_set_id
FROM slice s
JOIN track t ON t.id = s.track_id AND t.kind IN ('thread', 'lane')
JOIN thread h ON h.id = t.thread_id
JOIN process p ON p.id = h.process_id
;
CREATE VIEW thread_state AS
SELECT
	s.id AS id, -- slice.id
	t.trace_id AS trace_id, -- trace.id
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns
	t.thread_id AS thread_id, -- thread.id
	t.thread_id AS utid, -- the same, as Perfetto calls it
	l.name AS state, -- Running, R, S, D or another state from the file
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'cpu') AS cpu, -- CPU it ran on; NULL when not recorded
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'io_wait') AS io_wait, -- 1 when it waited for input or output; NULL when not recorded
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'blocked_function') AS blocked_function -- function of the kernel that blocked it; NULL when not recorded
FROM slice_row s
JOIN track t ON t.id = s.track_id AND t.kind = 'thread_state'
JOIN label l ON l.id = s.label_id
;
CREATE VIEW capability AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	substr(m.name, 5) AS name, -- host, device, launches, steps, gaudi, mme, ...: see docs/capabilities.md
	m.value AS present -- 1 or 0
FROM metric m
WHERE m.name GLOB 'has_*' AND m.device IS NULL AND m.step IS NULL
;
CREATE VIEW run_kind AS
SELECT
	t.id AS trace_id, -- trace.id
	CASE
		WHEN EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id AND h.phase IS NOT NULL)
			OR EXISTS (SELECT 1 FROM op_total o WHERE o.trace_id = t.id AND o.phase IS NOT NULL) THEN 'training'
		WHEN EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id
			AND h.class IN ('matrix', 'convolution', 'attention', 'embedding')) THEN 'inference'
	END AS kind -- training or inference; NULL when the trace shows neither
FROM trace t
;
CREATE VIEW exposed_kind AS
SELECT
	t.id AS trace_id, -- trace.id
	(SELECT CASE WHEN o.collective IN ('send_recv', 'other') THEN coalesce(
			(SELECT c.kind FROM collective c WHERE c.trace_id = t.id
				AND c.kind IN ('all_to_all', 'send_recv', 'gather', 'scatter')
				AND c.name NOT IN (SELECT coalesce(n.name, '') FROM op_total n WHERE n.trace_id = t.id)
				GROUP BY c.kind ORDER BY sum(c.dur) DESC, c.kind LIMIT 1),
			(SELECT h.collective FROM host_total h WHERE h.trace_id = t.id
				AND h.collective IN ('all_to_all', 'send_recv', 'gather', 'scatter')
				GROUP BY h.collective ORDER BY sum(h.count) DESC, h.collective LIMIT 1),
			o.collective)
		ELSE o.collective END
	FROM op_total o WHERE o.trace_id = t.id AND o.collective IS NOT NULL
	GROUP BY 1 HAVING sum(o.exclusive_ns) > 0
	ORDER BY sum(o.exclusive_ns) DESC, 1 LIMIT 1) AS kind -- as in op_total.collective; NULL when none is exposed
FROM trace t
;
CREATE VIEW trait AS
SELECT
	x.trace_id AS trace_id, -- trace.id
	x.name AS name -- trace.vendor, trace.architecture, training or inference, other_framework, ddp, fsdp, graph_capture, graph_launch, exposed_ followed by a kind of collective: see docs/names.md
FROM (
	SELECT t.id AS trace_id, t.vendor AS name FROM trace t
	UNION ALL
	SELECT t.id, t.architecture FROM trace t
	UNION ALL
	SELECT r.trace_id, r.kind FROM run_kind r
	UNION ALL
	SELECT t.id, 'other_framework' FROM trace t WHERE t.format = 'trace-event'
	UNION ALL
	SELECT DISTINCT h.trace_id, CASE
		WHEN h.mark IN ('ddp_forward', 'ddp_divide', 'ddp_copy', 'ddp_search') THEN 'ddp'
		WHEN h.mark IN ('fsdp', 'graph_capture', 'graph_launch') THEN h.mark
		WHEN h.mark = 'graph_begin' THEN 'graph_capture' END
	FROM host_total h
	UNION ALL
	SELECT e.trace_id, 'exposed_' || e.kind FROM exposed_kind e) x
WHERE x.name IS NOT NULL
;
CREATE VIEW steady AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.value - s.warm_up_ns AS wall_ns, -- ns: wall time without warm-up steps
	s.step_count AS step_count -- steps other than warm-up
FROM metric m
JOIN (
	SELECT t.id, coalesce(sum(iif(x.is_warm_up, x.dur, 0)), 0) AS warm_up_ns,
		coalesce(sum(NOT x.is_warm_up), 0) AS step_count
	FROM trace t
	LEFT JOIN step x ON x.trace_id = t.id
	GROUP BY t.id) s ON s.id = m.trace_id
WHERE m.name = 'wall_ns' AND m.device IS NULL AND m.step IS NULL
;
CREATE VIEW steady_host_event AS
SELECT
	e.id AS id, -- host_event.id
	e.trace_id AS trace_id, -- trace.id
	e.slice_id AS slice_id, -- slice.id
	e.role AS role, -- label.role
	e.name AS name, -- slice name
	e.ts AS ts, -- ns
	e.dur AS dur, -- ns
	e.thread_id AS thread_id, -- thread.id
	s.number AS step, -- step.number; NULL in a trace without steps
	e.is_warm_up AS is_warm_up, -- 1 before the second complete step
	coalesce(e.ts + e.dur <= a.device_ts, 0) AS before_device, -- 1 when it ends before the first device operation that a step launched
	e.exposed_ns AS exposed_ns, -- ns: part of it in which no device works
	e.idle_after_ns AS idle_after_ns, -- ns: device idle from its end until work resumes
	e.transfer_ns AS transfer_ns, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the next work
	e.in_copy AS in_copy, -- 1 when the framework operation right around it is a copy
	e.follows_loader AS follows_loader, -- 1 when its thread ran no operation but copies since its last loader call
	e.caller AS caller, -- innermost framework operation around it
	e.python AS python, -- innermost Python frame around it
	e.detail AS detail -- recipe of a compile, bytes of a copy: JSON text or NULL
FROM host_event e
JOIN (SELECT t.id AS trace_id, count(x.id) AS steps, min(x.device_ts) AS device_ts
	FROM trace t
	LEFT JOIN step x ON x.trace_id = t.id
	GROUP BY t.id) a ON a.trace_id = e.trace_id
LEFT JOIN step s ON s.id = e.step_id
WHERE coalesce(s.is_warm_up, a.steps, 0) = 0
;
CREATE VIEW steady_gap AS
SELECT
	g.id AS id, -- gap.id
	g.trace_id AS trace_id, -- trace.id
	g.device AS device, -- device, as in device_op.device
	s.number AS step, -- step.number; NULL outside of steps
	g.ts AS ts, -- ns: start
	g.dur AS dur, -- ns
	g.cause AS cause, -- see docs/gaps.md
	g.host_slice_id AS host_slice_id, -- slice.id of the host slice that covers most of it
	g.next_launch_slice_id AS next_launch_slice_id, -- slice.id of the launch that ends it
	g.launch_delay_ns AS launch_delay_ns, -- ns: from that launch to the start of its work
	g.count AS count -- gaps in the row
FROM gap g
JOIN (SELECT w.trace_id, w.device,
		row_number() OVER (PARTITION BY w.trace_id ORDER BY sum(w.dur) DESC, w.device) AS place
	FROM gap w
	GROUP BY w.trace_id, w.device) d
	ON d.trace_id = g.trace_id AND d.device = g.device AND d.place = 1
LEFT JOIN step s ON s.id = g.step_id
WHERE coalesce(s.is_warm_up, 0) = 0
;
CREATE VIEW busiest_device AS
SELECT
	b.trace_id AS trace_id, -- trace.id
	b.device AS device, -- device, as in device_op.device
	b.busy_ns AS busy_ns -- ns: its device_busy_ns
FROM (SELECT m.trace_id, m.device, m.value AS busy_ns,
		row_number() OVER (PARTITION BY m.trace_id ORDER BY m.value DESC, m.device) AS place
	FROM metric m
	WHERE m.name = 'device_busy_ns' AND m.device IS NOT NULL AND m.step IS NULL) b
WHERE b.place = 1
;
CREATE VIEW host_wait AS
SELECT
	e.id AS id, -- host_event.id
	e.trace_id AS trace_id, -- trace.id
	e.slice_id AS slice_id, -- slice.id
	e.name AS name, -- slice name
	e.ts AS ts, -- ns
	e.dur AS dur, -- ns: how long the host was blocked
	e.thread_id AS thread_id, -- thread.id
	e.step_id AS step_id, -- step.id of the step that contains its start; NULL outside of steps
	e.is_warm_up AS is_warm_up, -- 1 before the second complete step, or in a warm-up step
	e.exposed_ns AS exposed_ns, -- ns: part of it in which no device works
	e.idle_after_ns AS idle_after_ns, -- ns: device idle from its end until work resumes
	e.caller AS caller, -- innermost framework operation around it
	e.python AS python, -- innermost Python frame around it
	r.device AS device, -- device of the operation that released it; NULL when none ended within it
	r.op_slice_id AS op_slice_id, -- slice.id of that operation
	l.name AS op, -- its name
	r.launch_slice_id AS launch_slice_id, -- slice.id of the host call that launched it
	r.op_end - e.ts AS op_ns, -- ns: from the wait's start to the operation's end
	e.ts + e.dur - r.op_end AS return_ns -- ns: from that end until the host continued
FROM host_event e
LEFT JOIN wait_release r ON r.slice_id = e.slice_id
LEFT JOIN slice_row s ON s.id = r.op_slice_id
LEFT JOIN label l ON l.id = s.label_id
WHERE e.role = 'sync'
;
CREATE VIEW side_fallback AS
SELECT
	r.trace_id AS trace_id, -- trace.id
	r.operation AS operation, -- operation with its namespace
	r.told_by AS told_by, -- log lines, log table or metrics file
	r.times AS times -- fallbacks in the run
FROM (SELECT t.*, row_number() OVER (PARTITION BY t.trace_id, t.operation
		ORDER BY t.times DESC, t.told_by) AS place
	FROM (SELECT l.trace_id, l.subject AS operation, 'log lines' AS told_by, count(*) AS times
		FROM side_log l
		WHERE l.kind = 'cpu_fallback'
		GROUP BY l.trace_id, l.source, l.subject
		UNION ALL
		SELECT l.trace_id, l.subject, 'log table', max(l.count)
		FROM side_log l
		WHERE l.kind = 'cpu_fallback_total'
		GROUP BY l.trace_id, l.source, l.subject
		UNION ALL
		SELECT m.trace_id, m.item, 'metrics file', max(CAST(m.value AS INTEGER))
		FROM side_metric m
		WHERE m.metric = 'cpu_fallback' AND m.name = 'FallbackOps' AND m.item IS NOT NULL
		GROUP BY m.trace_id, m.source, m.item) t) r
WHERE r.place = 1 AND r.times > 0
;
CREATE VIEW side_compile AS
SELECT
	f.trace_id AS trace_id, -- trace.id
	f.path AS path, -- side_file.path
	c.told_by AS told_by, -- metrics file or log lines
	c.compiles AS compiles, -- compilations
	c.compile_ns AS compile_ns -- ns: host time in them; NULL when not recorded
FROM (SELECT d.source, 'metrics file' AS told_by, max(d.compiles) - min(d.compiles) AS compiles,
		CAST((max(d.time_us) - min(d.time_us)) * 1000 AS INTEGER) AS compile_ns
	FROM (SELECT m.source, m.ord, max(iif(m.name = 'TotalNumber', m.value, NULL)) AS compiles,
			max(iif(m.name = 'TotalTime', m.value, NULL)) AS time_us
		FROM side_metric m
		WHERE m.metric = 'graph_compilation' AND m.item IS NULL
		GROUP BY m.source, m.ord) d
	GROUP BY d.source
	HAVING count(d.compiles) > 1
	UNION ALL
	SELECT l.source, 'log lines', sum(iif(l.subject LIKE '%warm%', 0, l.count)),
		sum(iif(l.subject LIKE '%warm%', 0, l.value)) * 1000
	FROM side_log l
	WHERE l.kind = 'graph_compile'
	GROUP BY l.source) c
JOIN side_file f ON f.id = c.source
;
CREATE VIEW side_defragmentation AS
SELECT
	f.trace_id AS trace_id, -- trace.id
	f.path AS path, -- side_file.path
	d.times AS times, -- defragmentations in the run
	CAST(d.mean_ms * d.times * 1000000 AS INTEGER) AS total_ns, -- ns: host time in them; NULL when not recorded
	CAST(d.longest_ms * 1000000 AS INTEGER) AS longest_ns -- ns: longest; NULL when not recorded
FROM (SELECT m.source, m.ord, max(m.ord) OVER (PARTITION BY m.source) AS last,
		max(iif(m.name = 'TotalNumber', m.value, NULL)) AS times,
		max(iif(m.name = 'AvgTime', m.value, NULL)) AS mean_ms,
		max(iif(m.name = 'MaxTime', m.value, NULL)) AS longest_ms
	FROM side_metric m
	WHERE m.metric = 'memory_defragmentation'
	GROUP BY m.source, m.ord) d
JOIN side_file f ON f.id = d.source
WHERE d.ord = d.last AND d.times IS NOT NULL
;
CREATE VIEW hw_engine_total AS
SELECT
	p.trace_id AS trace_id, -- trace.id
	p.source AS source, -- side_file.id
	p.device AS device, -- device as the file names it
	p.engine AS engine, -- engine, such as "[HD0] TPC 5"
	count(*) AS op_count, -- operations with an end
	sum(max(p.end_ts - max(p.ts, coalesce(p.before_ts, p.ts)), 0)) AS busy_ns, -- ns: union of its operations
	min(p.ts) AS first_ts, -- ns: start of the first, on the profiler's clock
	max(p.end_ts) AS last_ts -- ns: end of the last
FROM (SELECT h.trace_id, h.source, h.device, h.engine, h.ts, h.ts + h.dur AS end_ts,
		max(h.ts + h.dur) OVER (PARTITION BY h.source, h.device, h.engine ORDER BY h.ts, h.dur
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ts
	FROM hw_op h
	WHERE h.dur >= 0) p
GROUP BY p.trace_id, p.source, p.device, p.engine
;
CREATE VIEW compile_cost AS
SELECT
	c.trace_id AS trace_id, -- trace.id
	c.slice_id AS slice_id, -- slice.id of the compilation
	c.step AS step, -- step.number; NULL in a trace without steps
	CAST(min(c.all_ns, max(c.exposed_ns, c.idle_ns)) * 1.0 * c.dur / max(c.all_ns, 1) AS INTEGER) AS cost_ns -- ns: idle time attributed to it
FROM (SELECT p.trace_id, p.slice_id, p.step, p.dur, sum(p.dur) OVER step AS all_ns,
		sum(p.exposed_ns) OVER step AS exposed_ns, sum(p.idle_ns) OVER step AS idle_ns
	FROM (SELECT e.trace_id, e.slice_id, e.step, e.dur, e.exposed_ns, 0 AS idle_ns
		FROM steady_host_event e
		WHERE e.role = 'compile' AND NOT e.is_warm_up
		UNION ALL
		SELECT g.trace_id, NULL, g.step, 0, 0, g.dur
		FROM steady_gap g
		WHERE g.count = 1 AND g.cause NOT IN ('queued', 'unknown', 'no_work', 'collective')) p
	WINDOW step AS (PARTITION BY p.trace_id, p.step)) c
WHERE c.slice_id IS NOT NULL
;
CREATE VIEW step_spread AS
SELECT DISTINCT
	p.trace_id AS trace_id, -- trace.id
	p.step_count AS steps, -- steps other than warm-up
	sum(p.ns) OVER steps AS sum_ns, -- ns: all of them together
	min(p.ns) OVER steps AS min_ns, -- ns: the shortest
	nth_value(p.ns, (p.step_count + 3) / 4) OVER steps AS lower_quartile_ns, -- ns: first quartile, by nearest rank
	nth_value(p.ns, (p.step_count + 1) / 2) OVER steps AS median_ns, -- ns: the median, by nearest rank
	nth_value(p.ns, (3 * p.step_count + 3) / 4) OVER steps AS upper_quartile_ns, -- ns: third quartile, by nearest rank
	max(p.ns) OVER steps AS max_ns -- ns: the longest
FROM (
	SELECT s.trace_id, s.ns, count(*) OVER (PARTITION BY s.trace_id) AS step_count
	FROM (
		SELECT u.trace_id, u.is_warm_up, u.until - coalesce(
			lag(u.until) OVER (PARTITION BY u.trace_id ORDER BY u.ts, u.id), u.ts) AS ns
		FROM (
			SELECT trace_id, id, ts, is_warm_up, max(max(ts + dur,
				coalesce(device_ts + device_dur, ts + dur)))
				OVER (PARTITION BY trace_id ORDER BY ts, id) AS until
			FROM step) u) s
	WHERE NOT s.is_warm_up) p
WINDOW steps AS (PARTITION BY p.trace_id ORDER BY p.ns ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
;
CREATE VIEW memory_curve AS
SELECT
	m.id AS id, -- memory_sample.id
	m.trace_id AS trace_id, -- trace.id
	m.device AS device, -- index of the device, as in device_op.device; cpu for the host
	m.ts AS ts, -- ns
	(SELECT iif(m.ts < s.ts + s.dur, s.id, NULL) FROM step s WHERE s.trace_id = m.trace_id AND s.ts <= m.ts
		ORDER BY s.ts DESC, s.id DESC LIMIT 1) AS step_id, -- step.id of the step in which it lies; NULL outside of steps
	m.bytes AS bytes, -- bytes: negative for a free
	m.in_use_bytes AS in_use_bytes, -- bytes in use after it
	m.reserved_bytes AS reserved_bytes, -- bytes reserved after it; NULL when not recorded
	m.is_relative AS is_relative -- 1: totals are not recorded, so in_use_bytes counts from the start of the recording
FROM (
	SELECT s.id, s.trace_id, iif(s.device_type = 0, 'cpu', CAST(s.device_id AS TEXT)) AS device, s.ts,
		s.bytes, s.total_allocated_bytes AS in_use_bytes, s.total_reserved_bytes AS reserved_bytes,
		0 AS is_relative
	FROM memory_sample s
	WHERE (s.trace_id, coalesce(s.device_type, -1), coalesce(s.device_id, -1)) NOT IN (
		SELECT n.trace_id, coalesce(n.device_type, -1), coalesce(n.device_id, -1) FROM memory_sample n WHERE n.total_allocated_bytes IS NULL)
	UNION ALL
	SELECT s.id, s.trace_id, iif(s.device_type = 0, 'cpu', CAST(s.device_id AS TEXT)), s.ts, s.bytes,
		CAST(total(s.bytes) OVER (PARTITION BY s.trace_id, s.device_type, s.device_id ORDER BY s.ts, s.id) AS INTEGER),
		s.total_reserved_bytes, 1
	FROM memory_sample s
	WHERE (s.trace_id, coalesce(s.device_type, -1), coalesce(s.device_id, -1)) IN (
		SELECT n.trace_id, coalesce(n.device_type, -1), coalesce(n.device_id, -1) FROM memory_sample n WHERE n.total_allocated_bytes IS NULL)) m
;
CREATE VIEW memory_block AS
SELECT
	b.id AS id, -- memory_sample.id
	b.trace_id AS trace_id, -- trace.id
	b.device AS device, -- as in memory_curve
	b.ts AS ts, -- ns
	b.bytes AS bytes, -- bytes
	b.thread_id AS thread_id, -- thread.id of the thread that asked for it
	o.operator_slice_id AS slice_id, -- slice.id of the operation it is for; NULL when no slice is around it
	o.operator AS operator, -- its name
	b.has_address AS has_address, -- 0: its address is not recorded, so its end is not known
	b.end_id AS end_id, -- memory_sample.id of its end; NULL when it lives at the end of the recording
	b.end_ts AS end_ts -- ns: its end
FROM (
	SELECT m.id, m.trace_id, m.ts, m.bytes, m.thread_id,
		iif(m.device_type = 0, 'cpu', CAST(m.device_id AS TEXT)) AS device,
		m.addr IS NOT NULL AS has_address,
		iif(m.addr IS NULL, NULL, lead(m.id) OVER a) AS end_id,
		iif(m.addr IS NULL, NULL, lead(m.ts) OVER a) AS end_ts
	FROM memory_sample m
	WHERE m.bytes <> 0
	WINDOW a AS (PARTITION BY m.trace_id, m.device_type, m.device_id, m.addr ORDER BY m.ts, m.id)) b
LEFT JOIN allocation o ON o.id = b.id
WHERE b.bytes > 0
;
CREATE VIEW memory_step AS
SELECT
	c.trace_id AS trace_id, -- trace.id
	c.device AS device, -- as in memory_curve
	c.step_id AS step_id, -- step.id; NULL outside of steps
	count(*) AS event_count, -- allocator events
	sum(c.bytes > 0) AS allocation_count, -- allocations
	CAST(total(iif(c.bytes > 0, c.bytes, 0)) AS INTEGER) AS allocated_bytes, -- bytes allocated
	CAST(total(iif(c.bytes < 0, -c.bytes, 0)) AS INTEGER) AS freed_bytes, -- bytes freed
	max(c.in_use_bytes) AS peak_bytes, -- bytes: most in use
	min(c.in_use_bytes) AS least_bytes, -- bytes: least in use
	max(iif(c.is_last, c.in_use_bytes, NULL)) AS end_bytes, -- bytes in use after its last event
	max(c.reserved_bytes) AS reserved_peak_bytes, -- bytes: most reserved; NULL when not recorded
	max(c.is_relative) AS is_relative -- as in memory_curve
FROM (
	SELECT m.*, row_number() OVER (PARTITION BY m.trace_id, m.device, m.step_id ORDER BY m.ts DESC, m.id DESC) = 1 AS is_last
	FROM memory_curve m) c
GROUP BY c.trace_id, c.device, c.step_id
;
CREATE VIEW memory_peak AS
SELECT
	c.trace_id AS trace_id, -- trace.id
	c.device AS device, -- as in memory_curve
	c.id AS id, -- memory_sample.id
	c.ts AS ts, -- ns
	c.step_id AS step_id, -- step.id; NULL outside of steps
	c.in_use_bytes AS in_use_bytes, -- bytes in use
	c.reserved_bytes AS reserved_bytes, -- bytes reserved; NULL when not recorded
	c.reserved_bytes - c.in_use_bytes AS unused_bytes, -- bytes reserved and not in use: free blocks, also such that no request fits into
	c.is_relative AS is_relative -- as in memory_curve
FROM (
	SELECT m.*, row_number() OVER (PARTITION BY m.trace_id, m.device ORDER BY m.in_use_bytes DESC, m.ts, m.id) AS place
	FROM memory_curve m) c
WHERE c.place = 1
;
CREATE VIEW memory_at_peak AS
WITH held AS MATERIALIZED (
	SELECT p.trace_id, p.device, p.in_use_bytes, b.operator, count(b.id) AS count, total(b.bytes) AS bytes,
		p.is_relative
	FROM memory_peak p
	LEFT JOIN memory_block b ON b.trace_id = p.trace_id AND b.device = p.device
		AND b.has_address AND (b.ts, b.id) <= (p.ts, p.id)
		AND (b.end_id IS NULL OR (b.end_ts, b.end_id) > (p.ts, p.id))
	GROUP BY p.trace_id, p.device, b.operator)
SELECT
	h.trace_id AS trace_id, -- trace.id
	h.device AS device, -- as in memory_curve
	h.operator AS operator, -- as in memory_block; NULL when no slice is around the allocation
	0 AS is_older, -- 1: the row of what was allocated before the recording, without operator
	h.count AS count, -- allocations; NULL for what is older
	CAST(h.bytes AS INTEGER) AS bytes -- bytes
FROM held h
WHERE h.count > 0
UNION ALL
SELECT o.trace_id, o.device, NULL, 1, NULL, o.in_use_bytes - CAST(total(o.bytes) AS INTEGER)
FROM held o
WHERE NOT o.is_relative AND EXISTS (SELECT 1 FROM memory_sample s
	WHERE s.trace_id = o.trace_id AND iif(s.device_type = 0, 'cpu', CAST(s.device_id AS TEXT)) = o.device AND s.addr IS NOT NULL)
GROUP BY o.trace_id, o.device
;
CREATE VIEW memory_operator AS
SELECT
	b.trace_id AS trace_id, -- trace.id
	b.device AS device, -- as in memory_curve
	b.operator AS operator, -- as in memory_block; NULL when no slice is around the allocation
	b.thread_id AS thread_id, -- thread.id of the thread that asked for it
	count(*) AS count, -- allocations
	CAST(total(b.bytes) AS INTEGER) AS bytes, -- bytes
	max(b.bytes) AS max_bytes, -- bytes: the largest
	sum(iif(b.has_address, b.end_id IS NULL, NULL)) AS kept_count, -- allocations that live at the end of the recording; NULL when addresses are not recorded
	CAST(sum(iif(b.has_address, iif(b.end_id IS NULL, CAST(b.bytes AS REAL), 0.0), NULL)) AS INTEGER) AS kept_bytes, -- their bytes
	CAST(avg(b.end_ts - b.ts) AS INTEGER) AS mean_lifetime_ns -- ns: mean lifetime of the others; NULL without any
FROM memory_block b
GROUP BY b.trace_id, b.device, b.operator, b.thread_id
;
CREATE VIEW memory_kept AS
SELECT
	b.trace_id AS trace_id, -- trace.id
	b.device AS device, -- as in memory_curve
	b.operator AS operator, -- as in memory_block
	count(*) AS count, -- allocations
	CAST(total(b.bytes) AS INTEGER) AS bytes, -- bytes
	count(DISTINCT c.step_id) AS step_count, -- steps in which they were made
	n.step_count AS looked_at_count, -- steps of the trace without the last
	count(DISTINCT c.step_id) = n.step_count AND n.step_count > 1 AS is_leak -- 1: all these steps, and at least two
FROM memory_block b
JOIN memory_curve c ON c.id = b.id
JOIN (SELECT s.trace_id, max(s.id) AS last_id, count(*) - 1 AS step_count FROM step s GROUP BY s.trace_id) n
	ON n.trace_id = b.trace_id AND c.step_id <> n.last_id
WHERE b.has_address AND b.end_id IS NULL
GROUP BY b.trace_id, b.device, b.operator
;
CREATE VIEW communication_total AS
WITH moved AS (
	SELECT c.trace_id, c.device, iif(c.by_lane, c.lane, NULL) AS lane, c.kind, c.group_name, c.group_size, c.bytes,
		count(*) AS count, CAST(total(c.dur) AS INTEGER) AS dur_ns,
		CAST(total(c.exposed_ns) AS INTEGER) AS exposed_ns,
		iif(count(m.wait_ns) = count(*), CAST(total(m.wait_ns) AS INTEGER), NULL) AS wait_ns
	FROM communication c LEFT JOIN collective m ON m.slice_id = c.slice_id
	GROUP BY 1, 2, 3, 4, 5, 6, 7),
rate AS (
	SELECT *, iif(dur_ns > coalesce(wait_ns, 0),
		1e9 * bytes * count / (dur_ns - coalesce(wait_ns, 0)), NULL) AS bytes_per_s
	FROM moved)
SELECT
	trace_id AS trace_id, -- trace.id
	device AS device, -- device, as in device_op.device; NULL on the host
	lane AS lane, -- Gaudi: the NIC lane, since each lane carries a part; NULL elsewhere
	kind AS kind, -- as in communication.kind
	group_name AS group_name, -- as in communication.group_name
	group_size AS group_size, -- as in communication.group_size
	bytes AS bytes, -- of one, as in communication.bytes
	count AS count, -- operations, or calls of the host
	dur_ns AS dur_ns, -- ns: sum of durations
	exposed_ns AS exposed_ns, -- ns: part of it in which the device computes nothing; on the host, in which no device works
	wait_ns AS wait_ns, -- ns: part of it before the last rank has arrived; NULL unless known for all
	bytes_per_s AS algorithm_bytes_per_s, -- bytes by the time that one takes, without wait_ns; NULL when bytes are not recorded
	bytes_per_s * CASE
		WHEN kind = 'all_reduce' THEN 2.0 * (group_size - 1) / group_size
		WHEN kind IN ('all_gather', 'reduce_scatter', 'all_to_all', 'gather', 'scatter')
			THEN 1.0 * (group_size - 1) / group_size
		ELSE 1.0 END AS bus_bytes_per_s -- the same as a rate of the links, comparable between kinds and sizes of groups, as NCCL's tests define it; NULL when the size of the group is not recorded
FROM rate
UNION ALL
SELECT trace_id, NULL, NULL, coalesce(collective, 'other'), NULL, NULL, NULL, sum(count),
	CAST(total(dur_ns) AS INTEGER), CAST(total(exposed_ns) AS INTEGER), NULL, NULL, NULL
FROM host_total WHERE mark = 'host_backend'
GROUP BY trace_id, coalesce(collective, 'other')
;
CREATE VIEW op_tree AS
SELECT
	n.id AS id, -- node number
	n.trace_id AS trace_id, -- trace.id
	n.parent_id AS parent_id, -- op_tree.id of the node around it; NULL for the outermost
	n.depth AS depth, -- number of nodes above it
	n.kind AS kind, -- operator (of the framework), module (a call of a torch.nn.Module), range (drawn by record_function() or the framework), python (a Python frame) or call (of a runtime, and all else)
	l.category AS category, -- cat of its slices
	l.name AS name, -- their name
	l.class AS class, -- label.class
	n.shape AS shape, -- the same number for inputs of the same sizes and types; NULL when not recorded
	n.phase AS phase, -- forward, backward, optimizer or loader; NULL for host slices outside of all
	n.op_id AS op_id, -- op_tree.id of the nearest operator, itself or above it
	n.module_id AS module_id, -- op_tree.id of the nearest module, itself or above it; in the backward pass that of the forward operator
	n.forward_id AS forward_id, -- backward pass: op_tree.id of the operator that is differentiated, by autograd's sequence number
	n.is_outer AS is_outer, -- 1 when no node above it has its category and name: what adds up over a name
	n.is_outer_shape AS is_outer_shape, -- 1 when no node above it has them and its shape
	n.slice_id AS slice_id, -- slice.id of the first call
	n.count AS count, -- calls
	n.host_ns AS host_ns, -- ns: sum of durations
	n.host_self_ns AS host_self_ns, -- ns: the same without the time of slices within them
	n.device_count AS device_count, -- device operations launched in it, but not in a node of its kind below it
	n.device_self_ns AS device_self_ns, -- ns: sum of their durations
	n.device_ns AS device_ns, -- ns: sum of the durations of all device operations launched in it
	n.backward_ns AS backward_ns, -- ns: host time of the backward pass of the operators in it
	n.backward_device_ns AS backward_device_ns -- ns: sum of the durations of device operations launched there
FROM op_tree_row n
JOIN label l ON l.id = n.label_id
;
CREATE VIEW op_kernel AS
SELECT
	k.trace_id AS trace_id, -- trace.id
	o.name AS operator, -- innermost operator around the launching call, or the captured one; NULL when it is not known
	o.class AS operator_class, -- label.class of the operator
	o.shape AS shape, -- op_tree.shape of the operator
	o.id AS op_id, -- op_tree.id of the operator
	m.name AS module, -- innermost module around the call; in the backward pass that of the forward operator
	n.name AS call, -- launching call; NULL when it is not known
	c.name AS captured_call, -- replayed graphs: the call that was captured, whose operator and module this is; NULL when the trace does not show it
	coalesce(c.phase, n.phase) AS phase, -- op_tree.phase of the call
	t.device AS device, -- as in device_op
	t.lane AS lane, -- as in device_op
	l.category AS category, -- as in device_op
	l.name AS name, -- device operation
	coalesce(iif(t.engine = 'compute', l.task_engine, NULL), t.engine, l.engine) AS engine, -- as in device_op
	coalesce(l.kind, 'other') AS kind, -- as in device_op
	l.class AS class, -- label.class
	l.precision AS precision, -- label.precision
	k.count AS count, -- device operations
	k.dur_ns AS dur_ns, -- ns: sum of their durations
	k.min_ns AS min_ns, -- ns: shortest
	k.max_ns AS max_ns -- ns: longest
FROM op_kernel_row k
JOIN label l ON l.id = k.label_id
JOIN track t ON t.id = k.track_id
LEFT JOIN op_tree n ON n.id = k.node_id
LEFT JOIN op_tree c ON c.id = k.capture_id
LEFT JOIN op_tree o ON o.id = iif(c.id IS NULL, n.op_id, c.op_id)
LEFT JOIN op_tree m ON m.id = iif(c.id IS NULL, n.module_id, c.module_id)
;
CREATE VIEW operator_total AS
SELECT
	n.trace_id AS trace_id, -- trace.id
	l.name AS name, -- operator
	l.class AS class, -- label.class
	sum(n.count) AS count, -- calls
	sum(n.host_ns * n.is_outer) AS host_ns, -- ns: sum of durations, not counting calls within a call of the same name
	sum(n.host_self_ns) AS host_self_ns, -- ns: the same without the time of slices within them
	sum(n.device_count) AS device_count, -- device operations it launched itself, not through an operator it calls
	sum(n.device_self_ns) AS device_self_ns, -- ns: sum of their durations
	sum(n.device_ns * n.is_outer) AS device_ns, -- ns: the same with those of the operators it calls
	sum(n.backward_ns * n.is_outer) AS backward_ns, -- ns: host time of its backward pass
	sum(n.backward_device_ns * n.is_outer) AS backward_device_ns -- ns: sum of the durations of device operations launched there
FROM op_tree_row n
JOIN label l ON l.id = n.label_id
WHERE n.kind = 'operator'
GROUP BY n.trace_id, l.name
;
CREATE VIEW operator_shape AS
SELECT
	o.trace_id AS trace_id, -- trace.id
	o.name AS name, -- operator
	o.class AS class, -- label.class
	iif(o.shape IS NULL, NULL, (SELECT j.value FROM json_each(a.args) j WHERE j.key IN ('Input Dims', 'Input dims') AND j.type = 'array' LIMIT 1)) AS input_dims, -- JSON list of the inputs' sizes; NULL when not recorded
	iif(o.shape IS NULL, NULL, (SELECT j.value FROM json_each(a.args) j WHERE j.key IN ('Input type', 'Input Type') AND j.type = 'array' LIMIT 1)) AS input_types, -- JSON list of the inputs' types
	o.shape AS shape, -- op_tree.shape
	o.slice_id AS slice_id, -- slice.id of the first call, whose other arguments slice_args has
	o.count AS count, -- calls
	o.host_ns AS host_ns, -- ns: sum of durations, not counting calls within a call of the same name and shape
	o.host_self_ns AS host_self_ns, -- ns: the same without the time of slices within them
	o.device_count AS device_count, -- device operations it launched itself, not through an operator it calls
	o.device_self_ns AS device_self_ns, -- ns: sum of their durations
	o.device_ns AS device_ns, -- ns: the same with those of the operators it calls
	o.backward_ns AS backward_ns, -- ns: host time of its backward pass
	o.backward_device_ns AS backward_device_ns -- ns: sum of the durations of device operations launched there
FROM (SELECT n.trace_id, l.name, min(l.class) AS class, n.shape, min(n.slice_id) AS slice_id, sum(n.count) AS count,
		sum(n.host_ns * n.is_outer_shape) AS host_ns, sum(n.host_self_ns) AS host_self_ns,
		sum(n.device_count) AS device_count, sum(n.device_self_ns) AS device_self_ns,
		sum(n.device_ns * n.is_outer_shape) AS device_ns,
		sum(n.backward_ns * n.is_outer_shape) AS backward_ns,
		sum(n.backward_device_ns * n.is_outer_shape) AS backward_device_ns
	FROM op_tree_row n
	JOIN label l ON l.id = n.label_id
	WHERE n.kind = 'operator'
	GROUP BY n.trace_id, l.name, n.shape) o
JOIN slice_args a ON a.slice_id = o.slice_id
;
CREATE VIEW module_total AS
SELECT
	n.trace_id AS trace_id, -- trace.id
	n.kind AS kind, -- module or range
	l.name AS name, -- module, with its number, or range
	sum(n.count) AS count, -- calls
	sum(n.host_ns * n.is_outer) AS host_ns, -- ns: sum of durations, not counting calls within a call of the same name
	sum(n.host_self_ns) AS host_self_ns, -- ns: the same without the time of slices within them
	sum(n.device_count) AS device_count, -- device operations launched in it, but not in a module (range) within it
	sum(n.device_self_ns) AS device_self_ns, -- ns: sum of their durations
	sum(n.device_ns * n.is_outer) AS device_ns, -- ns: the same with modules (ranges) within it
	sum(n.backward_ns * n.is_outer) AS backward_ns, -- ns: host time of the backward pass of its operators
	sum(n.backward_device_ns * n.is_outer) AS backward_device_ns -- ns: sum of the durations of device operations launched there
FROM op_tree_row n
JOIN label l ON l.id = n.label_id
WHERE n.kind IN ('module', 'range')
GROUP BY n.trace_id, n.kind, l.name
;
CREATE VIEW python_total AS
SELECT
	n.trace_id AS trace_id, -- trace.id
	l.name AS name, -- file(line): function
	sum(n.count) AS count, -- calls
	sum(n.host_ns * n.is_outer) AS host_ns, -- ns: sum of durations, not counting calls within a call of the same name
	sum(n.host_self_ns) AS host_self_ns, -- ns: the same without the time of slices within them
	sum(n.device_count) AS device_count, -- device operations launched in it, but not in a frame within it
	sum(n.device_self_ns) AS device_self_ns, -- ns: sum of their durations
	sum(n.device_ns * n.is_outer) AS device_ns -- ns: the same with frames within it
FROM op_tree_row n
JOIN label l ON l.id = n.label_id
WHERE n.kind = 'python'
GROUP BY n.trace_id, l.name
;
CREATE VIEW phase_total AS
SELECT
	p.trace_id AS trace_id, -- trace.id
	p.phase AS phase, -- forward, backward, optimizer, loader or other
	sum(p.count) AS count, -- calls of operators
	sum(p.host_ns) AS host_ns, -- ns: sum of the time of host threads
	sum(p.device_count) AS device_count, -- device operations launched in it
	sum(p.device_ns) AS device_ns -- ns: sum of their durations
FROM (SELECT trace_id, coalesce(phase, 'other') AS phase, iif(kind = 'operator', count, 0) AS count,
		host_self_ns AS host_ns, 0 AS device_count, 0 AS device_ns
	FROM op_tree_row
	UNION ALL
	SELECT k.trace_id, coalesce(n.phase, 'other'), 0, 0, k.count, k.dur_ns
	FROM op_kernel_row k
	LEFT JOIN op_tree_row n ON n.id = coalesce(k.capture_id, k.node_id)) p
GROUP BY p.trace_id, p.phase
;
CREATE VIEW stream_depth AS
SELECT DISTINCT
	e.trace_id AS trace_id, -- trace.id
	e.track_id AS track_id, -- track.id of the lane
	e.ts AS ts, -- ns: the depth holds from here to the next row of the lane
	sum(e.change) OVER (PARTITION BY e.track_id ORDER BY e.ts) AS depth -- operations launched and not yet started
FROM (
	SELECT t.trace_id, s.track_id, iif(n.i = 0, l.ts, s.ts) AS ts, 1 - 2 * n.i AS change
	FROM device_link k
	CROSS JOIN slice_row l ON l.id = k.launch_slice_id
	CROSS JOIN slice_row s ON s.id BETWEEN k.first_slice_id AND k.last_slice_id
	CROSS JOIN track t ON t.id = s.track_id
	CROSS JOIN (SELECT 0 AS i UNION ALL SELECT 1) n) e
;
CREATE VIEW stream_queue AS
WITH depth AS (
	SELECT s.trace_id, s.track_id, s.depth, CAST(lead(s.ts) OVER (PARTITION BY s.track_id ORDER BY s.ts) AS REAL) - s.ts AS dur_ns
	FROM stream_depth s),
queue AS (
	SELECT q.trace_id, q.track_id, max(q.depth) AS max_depth, total(q.depth * q.dur_ns) / nullif(total(q.dur_ns), 0) AS mean_depth,
		CAST(total(iif(q.depth > 0, q.dur_ns, 0)) AS INTEGER) AS waiting_ns,
		CAST(total(iif(q.depth >= 1024, q.dur_ns, 0)) AS INTEGER) AS full_ns
	FROM depth q
	GROUP BY q.trace_id, q.track_id),
delay AS (
	SELECT s.track_id, count(*) AS count, avg(CAST(s.ts AS REAL) - l.ts) AS mean_ns, CAST(max(s.ts - l.ts) AS INTEGER) AS max_ns,
		sum(s.ts < l.ts) AS early_count
	FROM device_link k
	CROSS JOIN slice_row l ON l.id = k.launch_slice_id
	CROSS JOIN slice_row s ON s.id BETWEEN k.first_slice_id AND k.last_slice_id
	GROUP BY s.track_id)
SELECT
	q.trace_id AS trace_id, -- trace.id
	t.device AS device, -- as in device_op
	t.lane AS lane, -- name of the lane, such as "stream 7"
	q.track_id AS track_id, -- track.id
	w.count AS launched_count, -- operations with a known launching call
	CAST(w.mean_ns AS INTEGER) AS mean_delay_ns, -- ns: from the start of the call to that of its operation, on average
	w.max_ns AS max_delay_ns, -- ns: the longest
	w.early_count AS early_count, -- operations that start before their call: host and device clocks differ
	q.mean_depth AS mean_depth, -- mean of stream_depth.depth over time
	q.max_depth AS max_depth, -- its maximum
	q.waiting_ns AS waiting_ns, -- ns: time in which at least one operation waits
	q.full_ns AS full_ns -- ns: time in which 1,024 or more wait: a launch then blocks the host on CUDA
FROM queue q
JOIN delay w ON w.track_id = q.track_id
JOIN track t ON t.id = q.track_id
;
CREATE VIEW stream_idle AS
SELECT
	i.trace_id AS trace_id, -- trace.id
	i.device AS device, -- as in device_op
	i.lane AS lane, -- name of the lane, such as "stream 7"
	i.track_id AS track_id, -- track.id
	i.cause AS cause, -- host_wait (the call that launches the next operation began after the end of the one before), kernel_wait (else, below 30 ns) or other
	count(*) AS count, -- pauses, also those of 0 ns
	CAST(total(i.idle_ns) AS INTEGER) AS idle_ns -- ns: sum of the pauses
FROM (
	SELECT o.trace_id, o.device, o.lane, o.track_id, max(o.ts - o.before_end, 0) AS idle_ns,
		CASE WHEN l.ts > o.before_end THEN 'host_wait' WHEN o.ts - o.before_end < 30 THEN 'kernel_wait' ELSE 'other' END AS cause
	FROM (
		SELECT d.trace_id, d.device, d.lane, d.track_id, d.ts, d.launch_slice_id,
			lag(d.ts + max(d.dur, 0)) OVER (PARTITION BY d.track_id ORDER BY d.ts, d.slice_id) AS before_end
		FROM device_op d) o
	LEFT JOIN slice_row l ON l.id = o.launch_slice_id
	WHERE o.before_end IS NOT NULL) i
GROUP BY i.trace_id, i.track_id, i.cause
;
CREATE VIEW op_precision AS
WITH kernel AS (
	SELECT n.op_id AS op_id, l.precision AS precision
	FROM op_kernel_row k
	JOIN label l ON l.id = k.label_id AND l.precision IN ('fp32', 'tf32') AND l.class IN ('matrix', 'convolution', 'attention')
	JOIN op_tree_row n ON n.id = k.node_id
	GROUP BY 1, 2),
outer AS (
	SELECT a.op_id AS op_id, p.op_id AS outer_id, a.precision AS precision
	FROM kernel a
	JOIN op_tree_row o ON o.id = a.op_id
	LEFT JOIN op_tree_row p ON p.id = o.parent_id)
SELECT
	w.node_id AS node_id, -- op_work.node_id
	max(u.precision) AS precision -- tf32 when one of its kernels is, else fp32
FROM op_work w
JOIN (
	SELECT op_id, precision FROM kernel
	UNION SELECT outer_id, precision FROM outer
	UNION SELECT p.op_id, o.precision FROM outer o JOIN op_tree_row t ON t.id = o.outer_id JOIN op_tree_row p ON p.id = t.parent_id) u
	ON u.op_id = w.node_id
WHERE w.is_matrix AND w.precision = 'fp32'
GROUP BY w.node_id
;
CREATE VIEW op_rate AS
SELECT
	w.node_id AS node_id, -- op_tree.id
	w.trace_id AS trace_id, -- trace.id
	n.label_id AS label_id, -- label.id
	n.shape AS shape, -- op_tree.shape
	n.slice_id AS slice_id, -- slice.id of the first call
	w.work AS work, -- op_work.work
	w.is_matrix AS is_matrix, -- op_work.is_matrix
	coalesce(p.precision, w.precision) AS precision, -- of the inputs, or tf32 where a kernel says so
	w.flops AS flops, -- of a call; NULL when not known
	w.bytes AS bytes, -- bytes of a call; NULL when not known
	n.count AS count, -- calls
	w.step_count AS step_count, -- calls that begin in a step
	n.device_ns AS device_ns, -- ns: device operations launched in them, together
	iif(w.is_matrix, f.flops_per_s, NULL) AS peak_flops_per_s, -- precision_peak; NULL for other work, without a data sheet, and for 32 bits where kernels do not say whether tensor cores compute
	d.hbm_bytes_per_s AS peak_bytes_per_s -- device_peak; NULL without a data sheet
FROM op_work w
JOIN op_tree_row n ON n.id = w.node_id
LEFT JOIN op_precision p ON p.node_id = w.node_id
LEFT JOIN precision_peak f ON f.trace_id = w.trace_id AND f.precision = coalesce(p.precision, w.precision)
	AND (p.precision IS NOT NULL OR w.precision <> 'fp32'
		OR NOT EXISTS (SELECT 1 FROM precision_peak t WHERE t.trace_id = w.trace_id AND t.precision = 'tf32'))
LEFT JOIN device_peak d ON d.trace_id = w.trace_id
;
CREATE VIEW roofline AS
SELECT
	r.trace_id AS trace_id, -- trace.id
	l.name AS name, -- operator
	(SELECT j.value FROM json_each(a.args) j WHERE j.key IN ('Input Dims', 'Input dims') AND j.type = 'array' LIMIT 1) AS input_dims, -- JSON list of the inputs' sizes
	r.precision AS precision, -- op_rate.precision
	r.work AS work, -- op_work.work
	r.count AS count, -- calls
	r.device_ns AS device_ns, -- ns: device operations launched in them, together
	r.flops AS flops, -- of a call; NULL when not known
	r.bytes AS bytes, -- bytes of a call, at least; NULL when not known
	1.0 * r.flops / nullif(r.bytes, 0) AS intensity, -- FLOPs a byte
	1e9 * r.flops * r.count / nullif(r.device_ns, 0) AS flops_per_s, -- achieved; NULL without device time
	1e9 * r.bytes * r.count / nullif(r.device_ns, 0) AS bytes_per_s, -- bytes per second achieved, at least
	1e11 * r.flops * r.count / nullif(r.device_ns, 0) / r.peak_flops_per_s AS flops_pct, -- pct of the peak in this precision; NULL when that is not known, and for work of other than matrix cores
	1e11 * r.bytes * r.count / nullif(r.device_ns, 0) / r.peak_bytes_per_s AS bytes_pct, -- pct of the peak bandwidth; above 100 where caches serve it
	CASE WHEN r.flops IS NULL OR r.bytes IS NULL THEN NULL
		WHEN NOT r.is_matrix THEN 'memory'
		WHEN r.peak_flops_per_s IS NULL OR r.peak_bytes_per_s IS NULL THEN NULL
		WHEN r.flops * r.peak_bytes_per_s < r.bytes * r.peak_flops_per_s THEN 'memory'
		ELSE 'compute' END AS bound -- compute or memory: what would limit it at its best; NULL when not known
FROM (SELECT o.trace_id, o.label_id, o.shape, o.work, o.is_matrix, o.precision, o.flops, o.bytes, o.peak_flops_per_s, o.peak_bytes_per_s,
		min(o.slice_id) AS slice_id, CAST(total(o.count) AS INTEGER) AS count, CAST(total(o.device_ns) AS INTEGER) AS device_ns
	FROM op_rate o
	GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) r
JOIN label l ON l.id = r.label_id
JOIN slice_args a ON a.slice_id = r.slice_id
;
CREATE VIEW utilisation AS
SELECT
	t.id AS trace_id, -- trace.id
	s.step_count AS step_count, -- complete steps
	s.step_ns AS step_ns, -- ns: their durations together
	w.flops AS flops, -- FLOPs of these operators in the steps, as far as known
	w.ideal_ns AS ideal_ns, -- ns: what they take at the peak
	iif(w.device_ns * 10 < k.matrix_ns * 9, NULL, 100.0 * w.ideal_ns / s.step_ns / max(coalesce(d.value, 1), 1)) AS flops_pct, -- pct of what all devices could do in that time; NULL when the peak of some is not known, and when known_pct is less than nine tenths of matrix_pct
	100.0 * w.device_ns / nullif(k.dur_ns, 0) AS known_pct, -- pct of all device time that is of such operators with known FLOPs
	100.0 * k.matrix_ns / nullif(k.dur_ns, 0) AS matrix_pct -- pct of all device time that is of such kernels, by their names
FROM trace t
JOIN (SELECT p.trace_id, count(*) AS step_count, total(p.dur) AS step_ns FROM step p GROUP BY p.trace_id) s ON s.trace_id = t.id
JOIN (SELECT r.trace_id, total(1.0 * r.flops * r.step_count) AS flops,
		iif(sum(r.flops * r.step_count > 0 AND r.peak_flops_per_s IS NULL) > 0, NULL, total(1e9 * r.flops * r.step_count / r.peak_flops_per_s)) AS ideal_ns,
		total(iif(r.flops IS NULL, 0, r.device_ns)) AS device_ns
	FROM op_rate r
	WHERE r.is_matrix
	GROUP BY r.trace_id) w ON w.trace_id = t.id
LEFT JOIN (SELECT k.trace_id, total(k.dur_ns) AS dur_ns,
		total(iif(l.class IN ('matrix', 'convolution', 'attention'), k.dur_ns, 0)) AS matrix_ns
	FROM op_kernel_row k
	JOIN label l ON l.id = k.label_id
	GROUP BY k.trace_id) k ON k.trace_id = t.id
LEFT JOIN metric d ON d.trace_id = t.id AND d.name = 'device_count'
;
CREATE VIEW kernel_occupancy AS
SELECT
	k.trace_id AS trace_id, -- trace.id
	k.device AS device, -- as in device_op
	l.name AS name, -- kernel
	l.class AS class, -- label.class
	CASE WHEN l.class IS NULL THEN NULL WHEN l.class NOT IN ('matrix', 'convolution', 'attention') THEN 0 WHEN l.precision IN ('fp16', 'bf16', 'tf32', 'fp8', 'fp4', 'int8') THEN 1
		WHEN l.precision = 'fp32' THEN 0 END AS uses_tensor_cores, -- 1 where name and precision say that it computes on tensor or matrix cores; NULL when they do not say
	k.count AS count, -- kernels
	CAST(k.dur_ns AS INTEGER) AS dur_ns, -- ns: sum of their durations
	CAST(k.known_ns AS INTEGER) AS known_ns, -- ns: part of it for which the profiler gives blocks per SM
	k.occupancy_ns / nullif(k.occupancy_known_ns, 0) AS occupancy_pct, -- pct: estimated achieved occupancy; NULL when not recorded
	100.0 * k.efficient_ns / nullif(k.known_ns, 0) AS sm_efficiency_pct, -- pct: share of the SMs that have a block, as torch_tb_profiler estimates it: blocks per SM, at most 1
	k.blocks_ns / nullif(k.known_ns, 0) AS blocks_per_sm, -- blocks of a launch for each SM
	k.warps_ns / nullif(k.known_ns, 0) AS warps_per_sm -- warps of a launch for each SM
FROM (
	SELECT g.trace_id, g.device, g.label_id, sum(g.count) AS count, total(g.dur_ns) AS dur_ns,
		total(iif(g.blocks IS NULL, 0, g.dur_ns)) AS known_ns, total(g.dur_ns * min(g.blocks, 1.0)) AS efficient_ns,
		total(g.dur_ns * g.blocks) AS blocks_ns, total(g.dur_ns * g.warps) AS warps_ns,
		total(g.dur_ns * g.occupancy) AS occupancy_ns, total(iif(g.occupancy IS NULL, 0, g.dur_ns)) AS occupancy_known_ns
	FROM (
		SELECT f.trace_id, f.device, f.label_id, f.count, f.dur_ns,
			max(iif(j.key = 'blocks per SM', j.value, NULL)) AS blocks,
			max(iif(j.key = 'warps per SM', j.value, NULL)) AS warps,
			max(iif(j.key = 'est. achieved occupancy %', j.value, NULL)) AS occupancy
		FROM (
			SELECT t.trace_id, t.device, s.label_id, min(s.id) AS slice_id, count(*) AS count, total(s.dur) AS dur_ns
			FROM slice_row s
			JOIN track t ON t.id = s.track_id AND t.device IS NOT NULL
			JOIN label n ON n.id = s.label_id AND n.kind = 'kernel'
			WHERE s.dur >= 0
			GROUP BY t.trace_id, t.device, s.label_id, s.args) f
		JOIN slice_args a ON a.slice_id = f.slice_id
		LEFT JOIN json_each(a.args) j ON j.type IN ('integer', 'real')
		GROUP BY f.trace_id, f.device, f.label_id, f.slice_id) g
	GROUP BY g.trace_id, g.device, g.label_id) k
JOIN label l ON l.id = k.label_id
WHERE k.known_ns > 0 OR k.occupancy_known_ns > 0
;
CREATE VIEW device_occupancy AS
SELECT
	k.trace_id AS trace_id, -- trace.id
	k.device AS device, -- as in device_op
	sum(k.count) AS count, -- kernels
	CAST(total(k.dur_ns) AS INTEGER) AS dur_ns, -- ns: sum of their durations
	total(k.occupancy_pct * k.dur_ns) / nullif(total(iif(k.occupancy_pct IS NULL, 0, k.dur_ns)), 0) AS occupancy_pct, -- pct: estimated achieved occupancy
	total(k.sm_efficiency_pct * k.known_ns) / nullif(total(k.known_ns), 0) AS sm_efficiency_pct, -- pct: share of the SMs that have a block while a kernel runs
	100.0 * total(iif(k.uses_tensor_cores, k.dur_ns, 0)) / nullif(total(k.dur_ns), 0) AS tensor_core_pct, -- pct of the time of kernels: those that compute on tensor or matrix cores
	100.0 * total(iif(k.uses_tensor_cores IS NULL, k.dur_ns, 0)) / nullif(total(k.dur_ns), 0) AS tensor_core_unknown_pct -- pct: those of which it is not known
FROM kernel_occupancy k
GROUP BY k.trace_id, k.device
;
CREATE VIEW range_counter AS
SELECT
	t.trace_id AS trace_id, -- trace.id
	s.id AS slice_id, -- slice.id of the range
	l.name AS range, -- its name; of automatic ranges that of the kernel
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration
	j.key AS counter, -- name of the counter
	j.value AS value -- as the file gives it
FROM label l
JOIN slice_row s ON s.label_id = l.id
JOIN track t ON t.id = s.track_id
JOIN slice_args a ON a.slice_id = s.id
JOIN json_each(a.args) j
WHERE l.category = 'cuda_profiler_range'
;
CREATE INDEX metric_by_name ON metric(name, trace_id, step, device, value);
CREATE INDEX metric_by_step ON metric(trace_id, step, device);
COMMIT;
