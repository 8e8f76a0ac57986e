-- title: Model FLOPs utilisation of steps
-- place: details 220
-- costly: text
-- keep: step_utilisation
-- json: rooflines.steps 130
SELECT
  number || iif(is_warm_up, ' warm-up', ''), -- name "<step"
  ns, -- ns "time"
  printf('%.3g', flops / 1e12), -- name "?TFLOP"
  flops_pct, -- pct "of peak"
  ideal_ns -- ns "at the peak"
FROM step_utilisation
WHERE trace_id = :trace AND (:step < 0 OR number = :step) AND flops_pct IS NOT NULL
ORDER BY step_id
LIMIT :limit
-- @json
SELECT trace_id, step_id, number, ns, flops, ideal_ns, flops_pct
FROM step_utilisation
WHERE flops > 0
ORDER BY trace_id, step_id
