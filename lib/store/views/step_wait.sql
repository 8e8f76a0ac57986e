-- Host waits within steps: between the first and the last matrix product, convolution or embedding of a step, in its forward
-- and backward pass. They are among what a captured graph would replay, and a capture fails at a wait. Waits before, as for the
-- batch, and after, as for the loss, are not among them. Warm-up steps are left out.
CREATE VIEW step_wait AS
SELECT
	e.id AS id, -- host_event.id
	e.trace_id AS trace_id, -- trace.id
	s.number AS step -- step.number
FROM host_event e
JOIN step s ON s.id = e.step_id AND NOT s.is_warm_up
JOIN (
	SELECT f.step_id AS step_id, min(f.ts) AS first_ts, max(f.ts) AS last_ts
	FROM framework_op f
	WHERE f.kind IN ('matmul', 'convolution', 'embedding') AND f.step_id IS NOT NULL
	GROUP BY f.step_id) m ON m.step_id = e.step_id
WHERE e.role = 'sync' AND e.ts BETWEEN m.first_ts AND m.last_ts;
