-- Graphs are compiled again after warm-up. One row per compiled sequence of operations, per recipe or operation around the compilation where those are not recorded, and
-- per side file that counts compilations.
--
-- id: recompilation
-- order: 170
-- title: Graphs are compiled again after warm-up
-- do: Keep shapes and constants the same from step to step. Pad or bucket inputs, drop the last
--    short batch, keep changing Python numbers out of the graph, and put mark_step() around
--    parts that must stay dynamic.
-- why: A graph that differs in one shape or constant is a new graph. The host compiles it before
--    the device can continue.
-- needs: compiles
-- edit: remove role = compile steady
-- always-if: told_by
-- param: min_per_step_ratio ratio 0.1 0 1000 compilations per step, on average over the steps after
--    the first; reported at or above this; our default, no published source: one in ten steps
-- param: min_logged_count count 3 1 1000000000 compilations after the start that a side file
--    counts; reported at or above this; our default, no published source: the file does not show in
--    how many steps
-- says: per_step_ratio not-zero = "% per step"
-- says: compile_ns not-gain = "% of compilation"
-- says: longest_ns several = "the longest %"
-- says: exposed_ns not-gain = "% with no device at work"
-- says: first_step = "first in step %"
-- says: last_step several = "last in step %"
-- says: compile_call = "seen as %"
-- says: operation = "in %"
-- says: python = "called at %"
-- says: first_count not-zero = "# not compiled before"
-- says: again_count not-zero = "# compiled before"
-- says: unknown_count not-zero = "# of unknown kind (the trace names no recipe and no operation)"
-- says: lost_count not-zero = "# for a recipe that already existed"
-- says: shapes_count not-zero = "# with other input sizes"
-- says: constant_count not-zero = "# with the same input sizes, so a constant or a setting changed"
-- says: changed_operation = "such as %"
-- says: recipe = "recipe %"
-- says: told_by = "counted in the %"
-- says: compared = "%"
-- source: Intel Gaudi model optimization (constants in loops, mark_step); habana_perf_tool reports
--    any compile; threshold: our default.
WITH later AS (
  SELECT count(*) AS steps FROM counted_step
  WHERE trace_id = :trace_id AND NOT is_warm_up
    AND ts > (SELECT min(ts) FROM counted_step WHERE trace_id = :trace_id)),
again AS (
  SELECT CASE WHEN c.op_count > 0 THEN 'graph of ' || c.op_count || ' operations, ' || (
      SELECT l.name FROM compile_op o JOIN slice_row s ON s.id = o.slice_id
      JOIN label l ON l.id = s.label_id
      WHERE o.compile_id = c.id ORDER BY o.ord LIMIT 1) || ' to ' || (
      SELECT l.name FROM compile_op o JOIN slice_row s ON s.id = o.slice_id
      JOIN label l ON l.id = s.label_id
      WHERE o.compile_id = c.id ORDER BY o.ord DESC LIMIT 1)
    ELSE coalesce(c.recipe, nullif(e.caller, ''), e.name) END AS subject,
    c.op_sequence, c.kind, c.changed, c.recipe,
    (SELECT l.name || ' with ' || coalesce(d.args ->> '$."Input Dims"',
        d.args ->> '$."Input dims"')
      FROM compile z JOIN slice_row s ON s.id = z.changed_slice_id
      JOIN label l ON l.id = s.label_id
      JOIN slice_args d ON d.slice_id = s.id
      WHERE z.id = c.id AND json_valid(d.args)) AS changed_operation,
    e.name, e.dur, e.exposed_ns, e.step, e.caller, e.python
  FROM steady_host_event e
  LEFT JOIN compile c ON c.slice_id = e.slice_id
  WHERE e.trace_id = :trace_id AND e.role = 'compile' AND NOT e.is_warm_up),
total AS (
  SELECT count(*) AS compiles FROM again),
logged AS (
  SELECT c.path, c.told_by, c.compiles, c.compile_ns FROM side_compile c
  WHERE c.trace_id = :trace_id),
sees AS (
  SELECT min(iif(c.name IN ('bridge', 'steps'), c.present, 1)) AS trace_sees
  FROM capability c
  WHERE c.trace_id = :trace_id)
SELECT
  a.subject AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  count(*) AS count,
  count(*) * 1.0 / l.steps AS per_step_ratio,
  sum(a.dur) AS compile_ns,
  max(a.dur) AS longest_ns,
  sum(a.exposed_ns) AS exposed_ns,
  min(a.step) AS first_step,
  max(a.step) AS last_step,
  min(a.name) AS compile_call,
  min(a.caller) AS operation,
  min(a.python) AS python,
  sum(a.kind = 'first') AS first_count,
  sum(a.kind = 'again') AS again_count,
  sum(a.kind = 'unknown') AS unknown_count,
  sum(a.changed IS 'nothing') AS lost_count,
  sum(a.changed IS 'shapes') AS shapes_count,
  sum(a.changed IS 'other') AS constant_count,
  min(a.changed_operation) AS changed_operation,
  min(a.recipe) AS recipe,
  NULL AS told_by,
  CASE WHEN (SELECT count(*) FROM logged) = 0 THEN NULL
    WHEN (SELECT max(compiles) FROM logged) >= t.compiles THEN 'trace and files agree'
    ELSE 'the files count fewer than the trace' END AS compared
FROM again a
JOIN later l
JOIN total t
WHERE t.compiles >= :min_per_step_ratio * l.steps AND l.steps > 0
GROUP BY a.subject, a.op_sequence
UNION ALL
SELECT g.path, NULL, 'inferred', g.compiles, NULL, g.compile_ns, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, g.told_by,
  CASE WHEN NOT v.trace_sees THEN 'the trace cannot show it'
    WHEN t.compiles > g.compiles THEN 'the files count fewer than the trace'
    WHEN t.compiles > 0 THEN 'trace and files agree'
    ELSE 'the trace has none after warm-up' END
FROM logged g
JOIN total t
JOIN sees v
WHERE g.compiles >= :min_logged_count
ORDER BY told_by, compile_ns DESC, subject
