-- title: Loader calls, copies, compiles, waits, fallbacks
-- place: details 180
SELECT
  role, -- name "<role"
  count(*), -- count "count"
  sum(is_warm_up), -- count "?warm-up"
  total(dur), -- ns "?time"
  total(exposed_ns), -- ns "exposed"
  total(idle_after_ns), -- ns "?idle after"
  name || coalesce(' in ' || caller, '') || coalesce(' at ' || python, '') -- name "<call"
FROM host_event
WHERE trace_id = :trace
  AND (:step < 0 OR step_id IN (SELECT id FROM step WHERE trace_id = :trace AND number = :step))
GROUP BY role, name, caller, python
ORDER BY total(exposed_ns) + total(idle_after_ns) DESC, total(dur) DESC, role, 7
LIMIT :limit
