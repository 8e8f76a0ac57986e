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
-- edit: remove host row-loop with-work
-- param: min_per_step_ratio ratio 50 1 1000000 aten::select calls per step; reported at or above
--    this; our default, no published source: models without such loops stay well below
-- says: per_step_ratio not-zero = "% per step"
-- says: loop_count = "in # loop~"
-- says: loop_ns = "% of host time"
-- says: launches_per_loop_ratio = "% launches per loop"
-- source: The pattern matcher of the PyTorch profiler (for-loop indexing); thresholds: our
--    defaults.
WITH loop AS (
  SELECT count(*) AS loops, sum(f.dur) AS loop_ns, sum(f.launch_count) AS launches
  FROM framework_op f
  LEFT JOIN step s ON s.id = f.step_id
  WHERE f.trace_id = :trace_id AND f.kind = 'row_loop' AND NOT coalesce(s.is_warm_up, 0)),
row_wise AS (
  SELECT name, sum(count) AS calls
  FROM host_total
  WHERE trace_id = :trace_id AND name = 'aten::select'
  GROUP BY name)
SELECT
  r.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  r.calls AS count,
  r.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  l.loops AS loop_count,
  l.loop_ns AS loop_ns,
  l.launches * 1.0 / l.loops AS launches_per_loop_ratio
FROM row_wise r
JOIN loop l ON l.loops > 0
JOIN steady w ON w.trace_id = :trace_id
WHERE r.calls >= :min_per_step_ratio * max(w.step_count, 1)
ORDER BY subject
