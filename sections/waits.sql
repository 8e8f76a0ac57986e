-- title: Blocking waits
-- place: details 170
-- json: waits 40
SELECT
  count(*), -- count "count"
  total(dur), -- ns "blocked"
  max(dur), -- ns "?longest"
  total(idle_after_ns), -- ns "?idle after"
  coalesce(op, 'unknown'), -- name "?<waited for"
  name || coalesce(' in ' || caller, '') || coalesce(' at ' || python, '') -- name "<call"
FROM host_wait
WHERE trace_id = :trace
  AND (:step < 0 OR step_id IN (SELECT id FROM step WHERE trace_id = :trace AND number = :step))
GROUP BY name, caller, python, op
ORDER BY 2 DESC, 1 DESC, 6, op
LIMIT :limit
-- @json
SELECT w.id, w.trace_id, w.slice_id, s.number AS step, w.name, w.ts, w.dur, w.exposed_ns, w.idle_after_ns,
  w.caller, w.python, w.device, w.op_slice_id, w.op, w.launch_slice_id, w.op_ns, w.return_ns
FROM host_wait w
LEFT JOIN step s ON s.id = w.step_id
WHERE :step < 0 OR s.number = :step
ORDER BY w.dur DESC, w.id
LIMIT :rows
