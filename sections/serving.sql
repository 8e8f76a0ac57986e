-- title: Serving, by phase
-- place: details 12
-- step: no
-- json: serving 180
SELECT
  phase, -- name "<phase"
  iteration_count, -- count "iterations"
  requests, -- count "requests"
  tokens, -- count "tokens"
  mean_ns, -- ns "each"
  token_ns, -- ns "a token"
  between_ns, -- ns "host between"
  graph_pct -- pct "in graphs"
FROM serving_phase
WHERE trace_id = :trace
ORDER BY ns DESC, phase
LIMIT :limit
-- @json
SELECT trace_id, engine, phase, iteration_count, requests, tokens, ns, mean_ns, token_ns, between_ns, device_ns, graph_ns, graph_pct
FROM serving_phase
ORDER BY trace_id, ns DESC, phase
