-- One sequence of operations with the same shapes gets new recipes after warm-up, so only a
-- constant can differ. One row per sequence.
--
-- id: loop-constant-recompilation
-- order: 180
-- title: The same operations are compiled again and again
-- do: Keep changing numbers out of the graph: pass them as device tensors. Examples are loop
--    indexes, step counts and learning rates. Or roll and index tensors instead.
-- why: A Python number becomes a constant of the graph, so each new value is a new graph. The host
--    compiles it before the device can continue.
-- needs: bridge, steps
-- part-of: recompilation
-- edit: remove role = compile steady
-- param: min_recipe_count count 3 1 1000000 recipes of one sequence of operations after warm-up,
--    with the same shapes; reported at or above this; our default, no published source
-- says: recipe_count = "# recipe~"
-- says: step_count = "in # step~"
-- says: compile_ns not-gain = "% of compilation"
-- says: exposed_ns not-gain = "% with no device at work"
-- says: shapes = "%"
-- says: compile_call = "seen as %"
-- source: Intel Gaudi model optimization (constants in loops become new graphs); threshold: our
--    default.
WITH again AS (
  SELECT c.id, c.slice_id, c.op_sequence, c.op_count, c.step_id, c.dur, c.exposed_ns, c.changed,
    coalesce(c.recipe, c.id) AS recipe
  FROM compile c
  WHERE c.trace_id = :trace_id AND NOT c.is_warm_up AND c.kind = 'again'
    AND c.changed IN ('other', 'unknown') AND c.op_sequence IS NOT NULL),
graph AS (
  SELECT a.op_sequence, a.changed, min(a.op_count) AS op_count, count(*) AS compiles,
    count(DISTINCT a.recipe) AS recipes, count(DISTINCT a.step_id) AS steps,
    sum(a.dur) AS dur_ns, sum(a.exposed_ns) AS exposed_ns, min(a.recipe) AS example,
    max(a.slice_id) AS slice_id
  FROM again a
  GROUP BY a.op_sequence, a.changed
  HAVING count(DISTINCT a.recipe) >= :min_recipe_count)
SELECT
  'graph of ' || g.op_count || ' operations, such as ' || g.example AS subject,
  NULL AS gain_ns,
  iif(g.changed = 'other', 'inferred', 'guessed') AS confidence,
  g.compiles AS count,
  g.recipes AS recipe_count,
  g.steps AS step_count,
  g.dur_ns AS compile_ns,
  g.exposed_ns AS exposed_ns,
  iif(g.changed = 'other', 'the same shapes each time', 'shapes were not recorded') AS shapes,
  l.name AS compile_call
FROM graph g
LEFT JOIN slice_row s ON s.id = g.slice_id
LEFT JOIN label l ON l.id = s.label_id
ORDER BY g.dur_ns DESC, count DESC, subject
