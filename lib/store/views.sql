-- Views over the tables of schema.sql; part of every store.

-- Args of slices as they were written, without blanks.
CREATE VIEW slice_args AS
SELECT
	s.id AS slice_id, -- slice.id
	CASE typeof(s.args) WHEN 'integer' THEN (
		SELECT printf(f.pattern, s.numbers & ((1 << f.bits) - 1),
			s.numbers >> f.bits & ((1 << f.bits) - 1), s.numbers >> 2 * f.bits)
		FROM args_form f WHERE f.id = s.args)
	ELSE s.args END AS args -- JSON text, or NULL
FROM slice_row s;

-- Slices: things with a start and a duration on one track.
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
	l.role AS role, -- what a host slice does: see docs/roles.md
	t.thread_id AS thread_id, -- thread.id
	t.process_id AS process_id -- process.id
FROM slice_row s
JOIN track t ON t.id = s.track_id
JOIN label l ON l.id = s.label_id
LEFT JOIN slice_nest n ON n.slice_id = s.id;

-- Device operations: kernels, copies, sets and other work on device lanes.
CREATE VIEW device_op AS
SELECT
	s.id AS slice_id, -- slice.id
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
	d.method AS launch_method, -- how the launch is known: see device_link.method; before_recording for work that belongs to no step
	(SELECT a.args FROM slice_args a WHERE a.slice_id = s.id) AS args -- JSON text
FROM slice_row s
JOIN track t ON t.id = s.track_id AND t.device IS NOT NULL
JOIN label l ON l.id = s.label_id AND (t.engine IS NOT NULL OR l.engine IS NOT NULL)
LEFT JOIN device_link d ON d.last_slice_id >= s.id AND d.first_slice_id = (
	SELECT max(r.first_slice_id) FROM device_link r WHERE r.first_slice_id <= s.id);

-- Depth of a device's queue over time: operations whose launching call has started and that have
-- not started themselves. Below 0 where clocks are apart. Scans the device operations.
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
	WHERE d.launch_slice_id IS NOT NULL) e;

-- Instant events with their names.
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
JOIN label l ON l.id = i.label_id;

-- Allocator events with the host slice that asked for the memory.
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
	l.name AS slice -- its name
FROM (SELECT s.*, k.slice_id AS slice_id
	FROM memory_sample s
	LEFT JOIN memory_slice k ON k.memory_id = s.id) m
LEFT JOIN slice_row r ON r.id = m.slice_id
LEFT JOIN label l ON l.id = r.label_id;

-- Arrows between slices: from a flow's start, or its latest step, to each of its ends.
CREATE VIEW flow AS
SELECT
	f.id AS id, -- arrow number
	f.trace_id AS trace_id, -- trace.id
	l.category AS category, -- cat of the flow
	l.name AS name, -- name of the flow
	f.slice_out AS slice_out, -- slice.id the arrow leaves
	f.slice_in AS slice_in -- slice.id the arrow reaches
FROM flow_row f
JOIN label l ON l.id = f.label_id;

-- Members of a slice's args, one row each.
CREATE VIEW slice_arg AS
SELECT
	s.id AS slice_id, -- slice.id
	j.key AS key, -- name of the member
	j.value AS value, -- its value; JSON text for objects and arrays
	j.type AS type -- JSON type
FROM slice s, json_each(s.args) j
WHERE s.args IS NOT NULL;

-- What a scheduler did with threads (ph T with a dur): their states, with the columns of Perfetto's table.
CREATE VIEW thread_state AS
SELECT
	s.id AS id, -- slice.id
	t.trace_id AS trace_id, -- trace.id
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns
	t.thread_id AS thread_id, -- thread.id
	l.name AS state, -- Running, R, S, D or what else the file says
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'cpu') AS cpu, -- CPU it ran on; NULL when not said
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'io_wait') AS io_wait, -- 1 when it waited for input or output; NULL when not said
	(SELECT g.value FROM slice_arg g WHERE g.slice_id = s.id AND g.key = 'blocked_function') AS blocked_function -- function of the kernel that blocked it; NULL when not said
FROM slice_row s
JOIN track t ON t.id = s.track_id AND t.kind = 'thread_state'
JOIN label l ON l.id = s.label_id;

-- What a trace can show; a heuristic whose needs are not present does not apply.
CREATE VIEW capability AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	substr(m.name, 5) AS name, -- host, device, launches, steps, gaudi, mme, ...: see docs/capabilities.md
	m.value AS present -- 1 or 0
FROM metric m
WHERE m.name GLOB 'has_*' AND m.device IS NULL AND m.step IS NULL;

-- Whether a run trains: told by autograd, optimizer and backward work on host or device. A trace with layers of a
-- model (matrix, convolution, embedding operations) and none of that is inference; one without them does not tell.
CREATE VIEW run_kind AS
SELECT
	t.id AS trace_id, -- trace.id
	CASE
		WHEN EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id AND h.phase IS NOT NULL)
			OR EXISTS (SELECT 1 FROM op_total o WHERE o.trace_id = t.id AND o.phase IS NOT NULL) THEN 'training'
		WHEN EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id
			AND h.class IN ('matrix', 'convolution', 'attention', 'embedding')) THEN 'inference'
	END AS kind -- training or inference; NULL when the trace does not tell
FROM trace t;

-- Which kind of collective takes most time under no other work. A kernel of NCCL that sends and receives, or whose name
-- tells no kind, is of the kind that arguments of kernels say most of, else of that which the host calls most, else what
-- its name says.
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
	ORDER BY sum(o.exclusive_ns) DESC, 1 LIMIT 1) AS kind -- as in op_total.collective; NULL when none is under no other work
FROM trace t;

-- What advice must know of a run to say what fits it: a row for each that holds. Words of advice and queries of
-- heuristics ask for these.
CREATE VIEW trait AS
SELECT
	x.trace_id AS trace_id, -- trace.id
	x.name AS name -- trace.vendor, trace.architecture, training or inference, other_framework, ddp, fsdp, graph_capture, graph_launch, exposed_ and a kind of collective: see docs/names.md
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
		WHEN h.mark IN ('fsdp', 'graph_capture', 'graph_launch') THEN h.mark END
	FROM host_total h
	UNION ALL
	SELECT e.trace_id, 'exposed_' || e.kind FROM exposed_kind e) x
WHERE x.name IS NOT NULL;

-- What thresholds are shares of: the analysed wall time without warm-up steps.
CREATE VIEW steady AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	m.value - (SELECT coalesce(sum(s.dur), 0) FROM step s
		WHERE s.trace_id = m.trace_id AND s.is_warm_up) AS wall_ns, -- ns: wall time without warm-up steps
	(SELECT count(*) FROM step s
		WHERE s.trace_id = m.trace_id AND NOT s.is_warm_up) AS step_count -- steps that are no warm-up
FROM metric m
WHERE m.name = 'wall_ns' AND m.device IS NULL AND m.step IS NULL;

-- Host events within steps that are no warm-up; all of them in a trace without steps.
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
	e.transfer_ns AS transfer_ns, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the work that follows
	e.in_copy AS in_copy, -- 1 when the framework operation right around it is a copy
	e.follows_loader AS follows_loader, -- 1 when its thread ran only copies since its last loader call
	e.caller AS caller, -- innermost framework operation around it
	e.python AS python, -- innermost Python frame around it
	e.detail AS detail -- recipe of a compile, bytes of a copy: JSON text or NULL
FROM host_event e
LEFT JOIN step s ON s.id = e.step_id
LEFT JOIN (SELECT x.trace_id, count(*) AS steps, min(x.device_ts) AS device_ts
	FROM step x
	GROUP BY x.trace_id) a ON a.trace_id = e.trace_id
WHERE coalesce(s.is_warm_up, a.steps, 0) = 0;

-- Gaps outside of warm-up steps on the device that waits most: several devices that wait for one
-- host at the same time must not count that time twice.
CREATE VIEW steady_gap AS
SELECT
	g.id AS id, -- gap.id
	g.trace_id AS trace_id, -- trace.id
	g.device AS device, -- device, as in device_op.device
	s.number AS step, -- step.number; NULL outside of steps
	g.ts AS ts, -- ns: start
	g.dur AS dur, -- ns
	g.cause AS cause, -- see docs/gaps.md
	g.host_slice_id AS host_slice_id, -- slice.id of the host slice that fills most of it
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
WHERE coalesce(s.is_warm_up, 0) = 0;

-- The device with most work: operations of several devices that do the same are told once.
CREATE VIEW busiest_device AS
SELECT
	b.trace_id AS trace_id, -- trace.id
	b.device AS device, -- device, as in device_op.device
	b.busy_ns AS busy_ns -- ns: its device_busy_ns
FROM (SELECT m.trace_id, m.device, m.value AS busy_ns,
		row_number() OVER (PARTITION BY m.trace_id ORDER BY m.value DESC, m.device) AS place
	FROM metric m
	WHERE m.name = 'device_busy_ns' AND m.device IS NOT NULL AND m.step IS NULL) b
WHERE b.place = 1;

-- Blocking waits of the host, each with the device operation that released it.
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
	e.ts + e.dur - r.op_end AS return_ns -- ns: from that end until the host went on
FROM host_event e
LEFT JOIN wait_release r ON r.slice_id = e.slice_id
LEFT JOIN slice_row s ON s.id = r.op_slice_id
LEFT JOIN label l ON l.id = s.label_id
WHERE e.role = 'sync';

-- Fallbacks to the CPU as side files count them: each operation with the largest count of all that
-- is told, for a file may say the same in lines, in a table and in several dumps.
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
WHERE r.place = 1 AND r.times > 0;

-- Graph compilations after the start as side files count them: of a metrics file, what came between
-- its first and its last dump; of a log, its lines outside of warm-up. A metrics file with one dump
-- tells the total only and has no row.
CREATE VIEW side_compile AS
SELECT
	f.trace_id AS trace_id, -- trace.id
	f.path AS path, -- side_file.path
	c.told_by AS told_by, -- metrics file or log lines
	c.compiles AS compiles, -- compilations
	c.compile_ns AS compile_ns -- ns: host time in them; NULL when not said
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
JOIN side_file f ON f.id = c.source;

-- Defragmentations of device memory as the last dump of each metrics file counts them.
CREATE VIEW side_defragmentation AS
SELECT
	f.trace_id AS trace_id, -- trace.id
	f.path AS path, -- side_file.path
	d.times AS times, -- defragmentations in the run
	CAST(d.mean_ms * d.times * 1000000 AS INTEGER) AS total_ns, -- ns: host time in them; NULL when not said
	CAST(d.longest_ms * 1000000 AS INTEGER) AS longest_ns -- ns: longest; NULL when not said
FROM (SELECT m.source, m.ord, max(m.ord) OVER (PARTITION BY m.source) AS last,
		max(iif(m.name = 'TotalNumber', m.value, NULL)) AS times,
		max(iif(m.name = 'AvgTime', m.value, NULL)) AS mean_ms,
		max(iif(m.name = 'MaxTime', m.value, NULL)) AS longest_ms
	FROM side_metric m
	WHERE m.metric = 'memory_defragmentation'
	GROUP BY m.source, m.ord) d
JOIN side_file f ON f.id = d.source
WHERE d.ord = d.last AND d.times IS NOT NULL;

-- How far faster device work is won back, for traces with three steps or more: a device that becomes
-- faster than its host just waits. Waits do not show where no runtime calls are recorded; time under
-- no call may be one there. Launch calls above 10 us may be waiting for room in the queue.
CREATE VIEW host_slack AS
WITH run AS (
	SELECT m.trace_id,
		max(iif(m.name = 'wall_ns', m.value, 0)) AS wall_ns,
		max(iif(m.name = 'host_window_ns', m.value, 0)) AS host_ns,
		max(iif(m.name = 'device_busy_ns', m.value, 0)) AS busy_ns,
		max(iif(m.name = 'step_count', m.value, 0)) AS step_count,
		max(iif(m.name = 'host_launch_own_ns', m.value, 0)) AS launch_ns,
		max(iif(m.name = 'host_other_own_ns', m.value, 0)) AS other_ns,
		sum(iif(m.name IN ('host_sync_own_ns', 'host_output_copy_own_ns', 'host_input_copy_own_ns',
			'host_collective_own_ns'), m.value, 0)) AS blocked_ns
	FROM metric m
	WHERE m.device IS NULL AND m.step IS NULL
	GROUP BY m.trace_id),
launch AS (
	SELECT t.trace_id, sum(t.count) AS calls
	FROM host_total t
	WHERE t.role = 'launch'
	GROUP BY t.trace_id)
SELECT
	r.trace_id AS trace_id, -- trace.id
	r.blocked_ns + max(r.launch_ns - coalesce(l.calls, 0) * 10000, 0)
		+ iif(r.launch_ns = 0, r.other_ns, 0) AS wait_ns, -- ns: host time in the steps that may be waiting for the device
	max(r.wall_ns - r.host_ns, 0) AS tail_ns, -- ns: how long the device works on after the last step
	CAST((max(r.wall_ns - r.host_ns, 0) * 1.0 * r.step_count + r.busy_ns - 1) / r.busy_ns AS INTEGER) AS tail_step_count, -- steps whose work is in that
	CAST(r.step_count AS INTEGER) AS step_count -- complete steps
FROM run r
LEFT JOIN launch l ON l.trace_id = r.trace_id
WHERE r.step_count >= 3 AND r.busy_ns > 0;

-- Engines at work as the Gaudi profiler's hardware CSV says: where a trace lacks device work, and
-- beside it. Operations of one engine that overlap count once.
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
GROUP BY p.trace_id, p.source, p.device, p.engine;

-- Compilations after warm-up, and what each costs: per step, the idle time for which the host is to
-- blame, but no more than the step's compilations last; shared out by how long each lasts. What the
-- host does behind a compilation that ate its lead would have been hidden without it.
CREATE VIEW compile_cost AS
SELECT
	e.trace_id AS trace_id, -- trace.id
	e.slice_id AS slice_id, -- slice.id of the compilation
	e.step AS step, -- step.number; NULL in a trace without steps
	CAST(min(sum(e.dur) OVER step, max(sum(e.exposed_ns) OVER step, coalesce(i.idle_ns, 0)))
		* 1.0 * e.dur / max(sum(e.dur) OVER step, 1) AS INTEGER) AS cost_ns -- ns: idle time put down to it
FROM steady_host_event e
LEFT JOIN (SELECT g.trace_id, g.step, sum(g.dur) AS idle_ns
	FROM steady_gap g
	WHERE g.count = 1 AND g.cause NOT IN ('queued', 'unknown', 'collective')
	GROUP BY g.trace_id, g.step) i ON i.trace_id = e.trace_id AND i.step IS e.step
WHERE e.role = 'compile' AND NOT e.is_warm_up
WINDOW step AS (PARTITION BY e.trace_id, e.step);
