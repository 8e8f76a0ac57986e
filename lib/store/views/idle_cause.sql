-- Idle time by cause, as reports show it: idle_total without start-up and end (start_and_end).
CREATE VIEW idle_cause AS
SELECT
	i.trace_id AS trace_id, -- trace.id
	i.device AS device, -- device, as in device_op.device; NULL for the time in which no device works
	s.number AS step, -- step.number: within the step on the host, only with device NULL; NULL for the analysed time
	i.cause AS cause, -- as gap.cause, or after_last_work
	max(iif(i.at_edge = 1, 0, i.dur)) + max(iif(i.at_edge = 1, i.dur, 0)) AS idle_ns, -- ns
	sum(i.count) AS count, -- gaps; one with several causes counts for each; NULL for steps
	max(i.longest_ns) AS longest_ns -- ns: the longest of them, of this cause; NULL for steps
FROM idle_total i
LEFT JOIN step s ON s.id = i.step_id
WHERE (i.step_id IS NULL OR s.id IS NOT NULL) AND (coalesce(i.at_edge, 0) = 0
	OR NOT EXISTS (SELECT 1 FROM start_and_end e WHERE e.trace_id = i.trace_id AND e.device IS i.device))
GROUP BY i.trace_id, i.device, i.step_id, i.cause;
