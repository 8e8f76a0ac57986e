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
	e.ts + e.dur - r.op_end AS return_ns -- ns: from that end until the host continued
FROM host_event e
LEFT JOIN wait_release r ON r.slice_id = e.slice_id
LEFT JOIN slice_row s ON s.id = r.op_slice_id
LEFT JOIN label l ON l.id = s.label_id
WHERE e.role = 'sync';
