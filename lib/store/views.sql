-- Views over the tables of schema.sql; part of every store.

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
	CASE typeof(s.args) WHEN 'integer' THEN (SELECT a.args FROM slice_row a WHERE a.id = s.args)
		ELSE s.args END AS args, -- JSON text
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
	coalesce(t.engine, l.engine) AS engine, -- mme, tpc, dma, nic, other; or compute, copy, communication
	t.lane AS lane, -- lane within the device
	coalesce(l.kind, 'other') AS kind, -- kernel, memcpy, memset or other
	l.direction AS direction, -- copies: HtoD, DtoH, DtoD, PtoP, HtoH
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration
	l.category AS category, -- cat of the event
	l.name AS name, -- operation
	s.track_id AS track_id, -- track.id
	d.launch_slice_id AS launch_slice_id, -- slice.id of the launching host slice
	d.step_id AS step_id, -- step.id of the step that launched it
	d.method AS launch_method, -- how the launch was told
	CASE typeof(s.args) WHEN 'integer' THEN (SELECT a.args FROM slice_row a WHERE a.id = s.args)
		ELSE s.args END AS args -- JSON text
FROM slice_row s
JOIN track t ON t.id = s.track_id AND t.device IS NOT NULL
JOIN label l ON l.id = s.label_id AND (t.engine IS NOT NULL OR l.engine IS NOT NULL)
LEFT JOIN device_link d ON d.slice_id = s.id;

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

-- Members of a slice's args, one row each.
CREATE VIEW slice_arg AS
SELECT
	s.id AS slice_id, -- slice.id
	j.key AS key, -- name of the member
	j.value AS value, -- its value; JSON text for objects and arrays
	j.type AS type -- JSON type
FROM slice s, json_each(s.args) j
WHERE s.args IS NOT NULL;

-- What a trace can show; a heuristic whose needs are not present does not apply.
CREATE VIEW capability AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	substr(m.name, 5) AS name, -- host, device, launches, steps, gaudi, mme, ...: see docs/capabilities.md
	m.value AS present -- 1 or 0
FROM metric m
WHERE m.name GLOB 'has_*' AND m.device IS NULL AND m.step IS NULL;
