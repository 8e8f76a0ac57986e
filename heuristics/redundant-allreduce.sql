-- DDP runs several forward passes before one optimizer step, and each is followed by the same
-- number of all-reduces. One row per call.
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
-- bucket: idle, communication
-- param: min_extra_ratio ratio 0.5 0 1000000 passes per optimizer step that reduce before the last
--    one; reported at or above this; our default, no published source: one in every other step
-- says: count not-zero = "# too many"
-- says: passes_per_update_ratio = "% reducing passes per optimizer step"
-- says: update_count = "# optimizer step~"
-- says: late_host_ns not-zero = "% of a late host's time"
-- says: exposed_ns = "% of collectives under no compute"
-- says: work_ns = ""
-- source: PyTorch performance tuning guide (skip the all-reduce while accumulating gradients);
--    threshold: our default.
WITH event AS (
  SELECT f.kind, f.name, f.ts, f.id,
    sum(f.kind = 'optimizer_step') OVER sequence AS updates,
    sum(f.kind = 'ddp_forward') OVER sequence AS pass
  FROM framework_op f
  WHERE f.trace_id = :trace_id AND f.kind IN ('optimizer_step', 'ddp_forward', 'all_reduce')
  WINDOW sequence AS (ORDER BY f.ts, f.id)),
pass AS (
  SELECT e.updates, e.pass, count(*) AS reduces, min(e.name) AS name
  FROM event e
  WHERE e.kind = 'all_reduce' AND e.pass > 0 AND e.updates < (SELECT max(updates) FROM event)
  GROUP BY e.updates, e.pass),
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
  SELECT count(DISTINCT p.updates) AS updates, sum(p.reduces) AS reduces FROM pass p),
exposed AS (
  SELECT coalesce(max(m.value), 0) AS exposed_ns FROM metric m
  WHERE m.trace_id = :trace_id AND m.name = 'exposed_communication_ns' AND m.step IS NULL),
kernel AS (
  SELECT total(iif(o.collective = 'all_reduce', o.dur_ns, 0)) AS reduce_ns,
    total(o.dur_ns) AS dur_ns
  FROM op_total o
  WHERE o.trace_id = :trace_id AND o.engine = 'communication'),
reducer AS (
  SELECT coalesce(sum(h.dur_ns), 0) AS host_ns FROM host_total h
  WHERE h.trace_id = :trace_id AND h.mark IN ('ddp_divide', 'ddp_copy')),
idle AS (
  SELECT coalesce(sum(g.dur), 0) AS ns FROM steady_gap g
  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown', 'collective')),
saved AS (
  SELECT x.*, t.updates,
    CAST(e.exposed_ns * 1.0 * x.reduces / t.reduces
      * iif(k.reduce_ns > 0, k.reduce_ns * 1.0 / k.dur_ns, 1) AS INTEGER) AS work_ns,
    CAST(min(r.host_ns * 1.0 * x.reduces / t.reduces, i.ns) AS INTEGER) AS host_ns
  FROM extra x JOIN total t JOIN exposed e JOIN kernel k JOIN reducer r JOIN idle i)
SELECT
  x.name AS subject,
  x.work_ns + x.host_ns AS gain_ns,
  'inferred' AS confidence,
  x.reduces AS count,
  1 + x.passes * 1.0 / x.updates AS passes_per_update_ratio,
  x.updates AS update_count,
  x.host_ns AS late_host_ns,
  e.exposed_ns AS exposed_ns,
  x.work_ns AS work_ns
FROM saved x
JOIN exposed e
WHERE x.passes >= :min_extra_ratio * x.updates
ORDER BY gain_ns DESC, count DESC, subject
