-- gap_total outside of warm-up steps, on the device with the most idle time only: sums of
-- steady_gap.
CREATE VIEW steady_gap_total AS
SELECT
	g.trace_id AS trace_id, -- trace.id
	g.device AS device, -- device, as in device_op.device
	s.number AS step, -- step.number; NULL outside of steps
	g.cause AS cause, -- gap.cause
	g.dur AS dur, -- ns
	g.count AS count, -- gaps; one with several causes counts for each
	g.longest_ns AS longest_ns, -- ns: the longest with a row of its own; NULL for none
	g.unrecorded_ns AS unrecorded_ns, -- ns: part of dur for which no host slice is known; sum of gap.empty_ns
	g.short_ns AS short_ns -- ns: part of dur in gaps of at most 10 us
FROM gap_total g
JOIN idlest_device d ON d.trace_id = g.trace_id AND d.device = g.device
LEFT JOIN step s ON s.id = g.step_id
WHERE coalesce(s.is_warm_up, 0) = 0;
