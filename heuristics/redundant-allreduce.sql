-- Several passes before one optimizer step compute gradients, and each has the same number of
-- all-reduces. A pass begins with the next batch, or with forward() of DDP. All-reduces before the
-- backward pass are of activations (tensor parallelism); the backward pass has as many of them again,
-- which are needed. One row per call.
--
-- id: redundant-allreduce
-- order: 490
-- title: Gradients are reduced in every pass of an accumulation
-- do: Wrap all backward passes but the last in model.no_sync(). The last one before an
--    optimizer step then reduces the gradients of all.
-- why: The sums over the ranks are needed only once, when the optimizer uses them. Reducing after
--    each pass sends the same gradients several times.
-- needs: host, device, communication, training
-- part-of: exposed-communication
-- edit: remove device engine = nic, communication collective = all_reduce adding-pass
-- edit: remove device engine = nic, communication not collective = all_reduce in collective = all_reduce adding-pass
-- edit: remove role = collective adding-pass
-- edit: remove host mark = ddp_divide, ddp_copy adding-pass
-- param: min_extra_ratio ratio 0.5 0 1000000 passes per optimizer step that reduce before the last
--    one; reported at or above this; our default, no published source: one in every other step
-- says: count not-zero = "# too many"
-- says: passes_per_update_ratio = "% reducing passes per optimizer step"
-- says: update_count = "# optimizer step~"
-- says: exposed_ns = "% of collectives while nothing computes"
-- source: PyTorch performance tuning guide (skip the all-reduce while accumulating gradients);
--    threshold: our default.
WITH event AS (
  SELECT f.kind, f.name, f.ts, f.id,
    sum(f.kind = 'optimizer_step') OVER sequence AS updates,
    sum(f.kind IN ('batch', 'ddp_forward')) OVER sequence AS pass,
    sum(f.kind = 'backward') OVER sequence AS backwards
  FROM framework_op f
  WHERE f.trace_id = :trace_id
    AND f.kind IN ('optimizer_step', 'batch', 'ddp_forward', 'backward', 'all_reduce')
  WINDOW sequence AS (ORDER BY f.ts, f.id)),
reduced AS (
  SELECT e.*, min(e.backwards) OVER (PARTITION BY e.updates, e.pass) AS first_backwards
  FROM event e),
pass AS (
  SELECT e.updates, e.pass, min(e.name) AS name,
    sum(iif(e.backwards > e.first_backwards, 1, -1)) AS reduces
  FROM reduced e
  WHERE e.kind = 'all_reduce' AND e.pass > 0
    AND e.updates < (SELECT max(updates) FROM event)
  GROUP BY e.updates, e.pass
  HAVING reduces > 0),
judged AS (
  SELECT p.*, first_value(p.reduces) OVER last_first AS last_reduces,
    row_number() OVER last_first AS place
  FROM pass p
  WINDOW last_first AS (PARTITION BY p.updates ORDER BY p.pass DESC)),
extra AS (
  SELECT j.name, sum(j.reduces) AS reduces, count(*) AS passes
  FROM judged j
  WHERE j.place > 1 AND j.reduces = j.last_reduces
  GROUP BY j.name),
total AS (
  SELECT count(DISTINCT p.updates) AS updates FROM pass p)
SELECT
  x.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  x.reduces AS count,
  1 + x.passes * 1.0 / t.updates AS passes_per_update_ratio,
  t.updates AS update_count,
  (SELECT max(m.value) FROM metric m WHERE m.trace_id = :trace_id
    AND m.name = 'exposed_communication_ns' AND m.step IS NULL) AS exposed_ns
FROM extra x
JOIN total t
WHERE x.passes >= :min_extra_ratio * t.updates
ORDER BY count DESC, subject
