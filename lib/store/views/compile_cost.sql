-- The cost of compilations after warm-up: per step, the idle time caused by the host, up to the
-- duration of the step's compilations, divided among them by duration. Host work after a compilation
-- counts because the compilation used up the host's lead, which would have hidden it.
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
WHERE c.slice_id IS NOT NULL;
