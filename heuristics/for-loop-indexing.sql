-- A Python loop takes rows of a tensor one by one.
--
-- id: for-loop-indexing
-- order: 240
-- title: Tensors are indexed row by row in Python loops
-- do: Replace the loop with one operation over the whole tensor. Examples are slicing, gather,
--    index_select and broadcasting.
-- why: Each row costs a host call and often a small kernel. The host cannot keep up.
-- needs: host, device
-- part-of: host-bound, small-kernels
-- bucket: idle, other-copy, compute
-- param: min_per_step_ratio ratio 50 1 1000000 aten::select calls per step; reported at or above
--    this; our default, no published source: models without such loops stay well below
-- param: min_exposed_pct pct 1 0 100 the gain as a share of the wall time; reported at or above
--    this; our default, no published source
-- param: max_kernel_ns ns 5000 0 1000000 most device time per launch in a loop that one operation
--    over all rows saves; our default, no published source: a kernel for one row takes about that
--    long
-- says: per_step_ratio not-zero = "% per step"
-- says: loop_count = "in # loop~"
-- says: loop_ns not-gain = "% of host time"
-- says: launches_per_loop_ratio = "% launches per loop"
-- says: idle_ns not-gain = "% idle"
-- says: work_ns = ""
-- source: The pattern matcher of the PyTorch profiler (for-loop indexing); thresholds: our
--    defaults.
WITH loop AS (
  SELECT f.dur AS ns, f.launch_count AS launches, s.number AS step
  FROM framework_op f
  LEFT JOIN step s ON s.id = f.step_id
  WHERE f.trace_id = :trace_id AND f.kind = 'row_loop' AND NOT coalesce(s.is_warm_up, 0)),
idle AS (
  SELECT g.step, sum(g.dur) AS ns FROM steady_gap g
  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown', 'collective')
  GROUP BY g.step),
in_step AS (
  SELECT count(*) AS loops, sum(l.ns) AS loop_ns, sum(l.launches) AS launches,
    min(coalesce(i.ns, 0), sum(l.ns)) AS idle_ns
  FROM loop l
  LEFT JOIN idle i ON i.step IS l.step
  GROUP BY l.step),
total AS (
  SELECT sum(loops) AS loops, sum(loop_ns) AS loop_ns, sum(launches) AS launches,
    sum(idle_ns) AS idle_ns,
    CAST(total(idle_ns + min(launches * 1.0 * idle_ns / max(loop_ns, 1) * :max_kernel_ns,
      loop_ns - idle_ns)) AS INTEGER) AS gain_ns
  FROM in_step),
row_wise AS (
  SELECT name, sum(count) AS calls
  FROM host_total
  WHERE trace_id = :trace_id AND name = 'aten::select'
  GROUP BY name)
SELECT
  r.name AS subject,
  l.gain_ns AS gain_ns,
  'inferred' AS confidence,
  r.calls AS count,
  r.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  l.loops AS loop_count,
  l.loop_ns AS loop_ns,
  l.launches * 1.0 / l.loops AS launches_per_loop_ratio,
  l.idle_ns AS idle_ns,
  l.gain_ns - l.idle_ns AS work_ns
FROM row_wise r
JOIN total l ON l.loops > 0
JOIN steady w ON w.trace_id = :trace_id
WHERE r.calls >= :min_per_step_ratio * max(w.step_count, 1)
  AND l.gain_ns * 100.0 >= :min_exposed_pct * w.wall_ns
ORDER BY gain_ns DESC, subject
