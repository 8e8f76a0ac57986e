-- Start-up and end of a trace without steps: the time before the first and after the last work of a device, where it is
-- a hundredth of the analysed time or more. The program starts then, or the profiler has stopped.
CREATE VIEW start_and_end AS
SELECT
	e.trace_id AS trace_id, -- trace.id
	e.device AS device, -- device, as in device_op.device; NULL for the time in which no device works
	CAST(total(e.dur) AS INTEGER) AS ns -- ns
FROM idle_total e
JOIN metric w ON w.trace_id = e.trace_id AND w.name = 'wall_ns' AND w.device IS NULL AND w.step IS NULL
WHERE e.step_id IS NULL AND e.at_edge = 1
	AND e.trace_id NOT IN (SELECT trace_id FROM metric WHERE name = 'has_steps' AND value = 1)
GROUP BY e.trace_id, e.device, w.value
HAVING total(e.dur) * 100 >= w.value;
