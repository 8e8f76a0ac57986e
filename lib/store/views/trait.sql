-- Properties of a run that decide which advice fits it, one row each. Words of advice and queries of heuristics ask for
-- them.
CREATE VIEW trait AS
SELECT
	x.trace_id AS trace_id, -- trace.id
	x.name AS name -- trace.vendor, trace.architecture, training or inference, other_framework, ddp, fsdp, graph_capture, graph_launch, exposed_ followed by a kind of collective: see docs/names.md
FROM (
	SELECT t.id AS trace_id, t.vendor AS name FROM trace t
	UNION ALL
	SELECT t.id, t.architecture FROM trace t
	UNION ALL
	SELECT r.trace_id, r.kind FROM run_kind r
	UNION ALL
	SELECT t.id, 'other_framework' FROM trace t WHERE t.format = 'trace-event'
	UNION ALL
	SELECT DISTINCT h.trace_id, CASE
		WHEN h.mark IN ('ddp_forward', 'ddp_divide', 'ddp_copy', 'ddp_search') THEN 'ddp'
		WHEN h.mark IN ('fsdp', 'graph_capture', 'graph_launch') THEN h.mark
		WHEN h.mark = 'graph_begin' THEN 'graph_capture' END
	FROM host_total h
	UNION ALL
	SELECT e.trace_id, 'exposed_' || e.kind FROM exposed_kind e) x
WHERE x.name IS NOT NULL;
