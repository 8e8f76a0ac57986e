-- Allocations made in steps that live at the end of the recording, without those of the last step,
-- which may still be in work. Operations that leave some behind in every step leak, or fill a list.
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
JOIN (SELECT s.trace_id, max(s.id) AS last_id, count(*) - 1 AS step_count FROM counted_step s GROUP BY s.trace_id) n
	ON n.trace_id = b.trace_id AND c.step_id <> n.last_id
WHERE b.has_address AND b.end_id IS NULL
GROUP BY b.trace_id, b.device, b.operator;
