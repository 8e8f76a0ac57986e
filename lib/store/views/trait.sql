-- Properties of a run that decide which advice fits it, one row each. Words of advice and queries of heuristics ask for
-- them.
CREATE VIEW trait AS
SELECT
	x.trace_id AS trace_id, -- trace.id
	x.name AS name -- trace.vendor, trace.architecture, training or inference, other_framework, vllm, sglang, tensorrt_llm, python, ddp, fsdp, graph_capture, graph_launch, batch_ahead, pytorch_1, lazy, other_optimizer, waits_within, exposed_ followed by a kind of collective, link_limit, late_ followed by where a rank spends longer than the median rank: see docs/names.md
FROM (
	SELECT t.id AS trace_id, t.vendor AS name FROM trace t
	UNION ALL
	SELECT t.id, t.architecture FROM trace t
	UNION ALL
	SELECT r.trace_id, r.kind FROM run_kind r
	UNION ALL
	SELECT t.id, 'other_framework' FROM trace t WHERE t.format = 'trace-event'
	UNION ALL
	SELECT DISTINCT v.trace_id, v.engine FROM serving_step v
	UNION ALL
	SELECT DISTINCT m.trace_id, 'python' FROM metric m WHERE m.name IN ('has_stacks', 'has_steps') AND m.step IS NULL AND m.value = 1
	UNION ALL
	SELECT DISTINCT h.trace_id, CASE
		WHEN h.mark IN ('ddp_forward', 'ddp_divide', 'ddp_copy', 'ddp_search') THEN 'ddp'
		WHEN h.mark IN ('fsdp', 'graph_capture', 'graph_launch', 'batch_ahead') THEN h.mark
		WHEN h.mark = 'graph_begin' THEN 'graph_capture'
		WHEN h.mark = 'bridge_cut' THEN 'lazy' END
	FROM host_total h
	UNION ALL
	SELECT DISTINCT h.trace_id, 'pytorch_1' FROM host_total h WHERE h.category = 'Operator'
	UNION ALL
	SELECT h.trace_id, 'other_optimizer' FROM host_total h WHERE h.mark = 'optimizer_step' GROUP BY h.trace_id
	HAVING max(h.class IS 'optimizer' OR h.name IN ('Optimizer.step#Adam.step', 'Optimizer.step#AdamW.step', 'Optimizer.step#SGD.step')) = 0
	UNION ALL
	SELECT w.trace_id, 'waits_within' FROM step_wait w GROUP BY w.trace_id
	HAVING count(*) >= (SELECT max(y.step_count) FROM steady y WHERE y.trace_id = w.trace_id)
	UNION ALL
	SELECT e.trace_id, 'exposed_' || e.kind FROM exposed_kind e
	UNION ALL
	SELECT DISTINCT c.trace_id, 'link_limit' FROM metric c
	JOIN metric b ON b.trace_id = c.trace_id AND b.device = c.device AND b.step IS NULL AND b.name = 'compute_busy_ns'
	WHERE c.trace_id NOT IN (SELECT s.trace_id FROM metric s WHERE s.name = 'recorded_one_of_count' AND s.step IS NULL AND s.value > 1)
		AND c.name = 'communication_busy_ns' AND c.device IS NOT NULL AND c.step IS NULL AND b.value > 0
		AND c.value - coalesce((SELECT sum(w.wait_ns) FROM collective_wait w WHERE w.trace_id = c.trace_id
			AND w.device = c.device AND w.wait_ns > 0), 0) > b.value
	UNION ALL
	SELECT r.trace_id, CASE
		WHEN r.part IN ('compute', 'dataloader') THEN 'late_' || r.part
		WHEN r.part IN ('copy', 'input_copy', 'output_copy') THEN 'late_copy'
		ELSE 'late_host' END
	FROM late_cause r) x
WHERE x.name IS NOT NULL;
