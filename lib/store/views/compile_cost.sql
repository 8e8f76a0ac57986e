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
