-- Iterations of a server by what they compute. Their device time is that of what is launched in them. The host's time between two is that from
-- the end of one to the begin of the next: the scheduler and all else that is not in the iteration.
--
-- title: Serving, by phase
-- place: details 12
-- step: no
WITH time AS (
  SELECT s.id, t.ns, max(s.ts - lag(s.ts + s.dur) OVER (PARTITION BY s.trace_id ORDER BY s.ts, s.id), 0) AS between_ns
  FROM step s
  JOIN step_time t ON t.step_id = s.id
  WHERE s.trace_id = :trace),
node AS MATERIALIZED (
  SELECT DISTINCT v.phase, n.id
  FROM serving_step v
  JOIN step s ON s.id = v.step_id
  JOIN label l ON l.name = s.name
  JOIN op_tree_row n ON n.label_id = l.id AND n.trace_id = v.trace_id AND n.is_outer
  WHERE v.trace_id = :trace),
below(phase, id) AS (
  SELECT phase, id FROM node
  UNION
  SELECT b.phase, n.id FROM below b JOIN op_tree_row n ON n.parent_id = b.id AND n.trace_id = :trace),
device AS (
  SELECT b.phase, total(k.dur_ns) AS ns, total(iif(l.mark = 'graph_launch', k.dur_ns, 0)) AS graph_ns
  FROM below b
  JOIN op_kernel_row k ON k.node_id = b.id AND k.trace_id = :trace
  JOIN op_tree_row n ON n.id = b.id
  JOIN label l ON l.id = n.label_id
  GROUP BY b.phase)
SELECT
  v.phase, -- name "<phase"
  count(*), -- count "iterations"
  CAST(total(v.requests) AS INTEGER), -- count "requests"
  iif(count(v.tokens) = count(*), CAST(total(v.tokens) AS INTEGER), NULL), -- count "tokens"
  CAST(total(t.ns) / count(*) AS INTEGER), -- ns "each"
  iif(count(v.tokens) = count(*), CAST(total(t.ns) / nullif(total(v.tokens), 0) AS INTEGER), NULL), -- ns "a token"
  CAST(total(t.between_ns) / count(t.between_ns) AS INTEGER), -- ns "host between"
  100.0 * d.graph_ns / nullif(d.ns, 0) -- pct "in graphs"
FROM serving_step v
JOIN time t ON t.id = v.step_id
LEFT JOIN device d ON d.phase = v.phase
WHERE v.trace_id = :trace
GROUP BY v.phase
ORDER BY total(t.ns) DESC, v.phase
LIMIT :limit
