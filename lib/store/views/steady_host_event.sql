-- Host events within steps other than warm-up; all host events in a trace without steps.
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
WHERE coalesce(s.is_warm_up, a.steps, 0) = 0;
