-- In these steps autograd numbers go up, so autograd creates nodes for a backward pass, but no
-- backward pass and no optimizer step runs. One row.
--
-- id: grad-in-inference
-- order: 290
-- title: Autograd records gradients that no backward pass uses
-- do: Run evaluation under torch.inference_mode() or torch.no_grad(). The latter is for results
--    that take part in autograd later.
-- why: Autograd creates a node per operation on the host, and keeps the inputs of all layers in
--    memory until the result is freed.
-- needs: host, device
-- param: min_node_count count 10 1 1000000000 fewest autograd nodes in a step, for the step to
--    count; our default, no published source: a model has more
-- param: min_step_count count 1 1 1000000000 steps without a backward pass; reported at or above
--    this; our default, no published source
-- says: count not-zero = "# such step~"
-- says: node_count = "# autograd node~ or more in one"
-- says: training_step_count not-zero = "# step~ with a backward pass"
-- source: PyTorch performance tuning guide (disable gradient calculation for validation or
--    inference); thresholds: our defaults.
WITH part AS (
  SELECT f.step_id, min(f.sequence_number) AS first, max(f.sequence_number) AS last,
    sum(f.kind = 'backward') AS backwards, sum(f.kind = 'optimizer_step') AS updates,
    min(f.name) AS name
  FROM framework_op f
  WHERE f.trace_id = :trace_id
  GROUP BY f.step_id),
evaluated AS (
  SELECT p.step_id, p.last - p.first AS nodes
  FROM part p
  WHERE p.backwards = 0 AND p.updates = 0 AND p.last - p.first >= :min_node_count
    AND (p.step_id IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM step s WHERE s.trace_id = :trace_id))),
training AS (
  SELECT coalesce(sum(p.backwards), 0) AS backwards, coalesce(sum(p.updates), 0) AS updates
  FROM part p)
SELECT
  CASE WHEN max(e.step_id) IS NULL THEN 'the whole trace'
    WHEN count(*) = w.step_count THEN 'all steps' ELSE 'steps without a backward pass' END AS subject,
  NULL AS gain_ns,
  iif(count(*) > 1, 'inferred', 'guessed') AS confidence,
  count(*) AS count,
  max(e.nodes) AS node_count,
  (SELECT count(*) FROM part p WHERE p.backwards > 0) AS training_step_count
FROM evaluated e
JOIN training t
JOIN steady w ON w.trace_id = :trace_id
WHERE (t.updates = 0 OR t.backwards > 0)
GROUP BY w.step_count
HAVING count(*) >= :min_step_count
ORDER BY count DESC, subject
