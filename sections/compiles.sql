-- One row for each sequence of operations, or for each recipe where sequences are not recorded. The JSON report
-- has a row for each compilation, the longest of all traces.
--
-- title: Graph compilations
-- place: details 160
-- json: compiles 30
SELECT
  iif(count(DISTINCT s.number) = 1, min(s.number),
    min(s.number) || ' to ' || max(s.number)), -- name "?<step"
  count(*), -- count "count"
  sum(c.kind = 'first'), -- count "-first"
  sum(c.kind = 'again'), -- count "again"
  total(c.dur), -- ns "time"
  total(c.exposed_ns), -- ns "?exposed"
  max(c.changed), -- name "?<changed"
  iif(c.op_count > 0, c.op_count || ' operations', coalesce(c.recipe, 'not recorded')) -- name "<graph"
FROM compile c
LEFT JOIN step s ON s.id = c.step_id
WHERE c.trace_id = :trace AND (:step < 0 OR s.number = :step)
GROUP BY c.op_sequence, iif(c.op_sequence IS NULL, c.recipe, NULL)
ORDER BY total(c.exposed_ns) DESC, total(c.dur) DESC, min(c.id)
LIMIT :limit
-- @json
SELECT c.id, c.trace_id, c.slice_id, s.number AS step, c.ts, c.dur, c.exposed_ns, c.is_warm_up, c.recipe,
  c.recipe_source, c.op_count, c.op_sequence, c.kind, c.previous_id, c.changed, c.changed_slice_id
FROM compile c
LEFT JOIN step s ON s.id = c.step_id
WHERE :step < 0 OR s.number = :step
ORDER BY c.dur DESC, c.id
LIMIT :rows
