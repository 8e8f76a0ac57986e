-- Iterations of a server by what they compute. Device time is that of what is launched in them. The host's time between two iterations is that
-- from the end of one to the begin of the next: the scheduler and all else that is not in an iteration.
CREATE VIEW serving_phase AS
WITH RECURSIVE time AS (
	SELECT s.id, t.ns, max(s.ts - lag(s.ts + s.dur) OVER (PARTITION BY s.trace_id ORDER BY s.ts, s.id), 0) AS between_ns
	FROM counted_step s
	JOIN step_time t ON t.step_id = s.id),
node AS MATERIALIZED (
	SELECT DISTINCT v.trace_id, v.phase, n.id
	FROM serving_step v
	JOIN counted_step s ON s.id = v.step_id
	JOIN label l ON l.name = s.name
	JOIN op_tree_row n ON n.label_id = l.id AND n.trace_id = v.trace_id AND n.is_outer),
below(trace_id, phase, id) AS (
	SELECT trace_id, phase, id FROM node
	UNION
	SELECT b.trace_id, b.phase, n.id FROM below b JOIN op_tree_row n ON n.parent_id = b.id),
device AS (
	SELECT b.trace_id, b.phase, total(k.dur_ns) AS ns, total(iif(l.mark = 'graph_launch', k.dur_ns, 0)) AS graph_ns
	FROM below b
	JOIN op_kernel_row k ON k.node_id = b.id
	JOIN op_tree_row n ON n.id = b.id
	JOIN label l ON l.id = n.label_id
	GROUP BY b.trace_id, b.phase)
SELECT
	v.trace_id AS trace_id, -- trace.id
	min(v.engine) AS engine, -- serving_step.engine
	v.phase AS phase, -- serving_step.phase
	count(*) AS iteration_count, -- iterations
	CAST(total(v.requests) AS INTEGER) AS requests, -- requests of all of them, as far as their names say
	iif(count(v.tokens) = count(*), CAST(total(v.tokens) AS INTEGER), NULL) AS tokens, -- tokens that they compute; NULL when a name does not say
	CAST(total(t.ns) AS INTEGER) AS ns, -- ns: sum of step_time.ns
	CAST(total(t.ns) / count(*) AS INTEGER) AS mean_ns, -- ns: of an iteration
	iif(count(v.tokens) = count(*), CAST(total(t.ns) / nullif(total(v.tokens), 0) AS INTEGER), NULL) AS token_ns, -- ns: of a token; NULL as tokens
	CAST(total(t.between_ns) / count(t.between_ns) AS INTEGER) AS between_ns, -- ns: mean time of the host between the iteration before and this one; NULL for a first one alone
	CAST(d.ns AS INTEGER) AS device_ns, -- ns: sum of the durations of device operations launched in the iterations; NULL when none is known
	CAST(d.graph_ns AS INTEGER) AS graph_ns, -- ns: of these, of replays of graphs
	100.0 * d.graph_ns / nullif(d.ns, 0) AS graph_pct -- the share of these
FROM serving_step v
JOIN time t ON t.id = v.step_id
LEFT JOIN device d ON d.trace_id = v.trace_id AND d.phase = v.phase
GROUP BY v.trace_id, v.phase;
