-- Recording itself takes a large part of what is recorded.
--
-- id: profiler-overhead
-- order: 110
-- kind: quality
-- title: Recording slows down what it records
-- do: Record without with_stack and record_shapes unless they are needed, and for fewer steps.
-- why: Every recorded frame and shape costs host time, so a run that waits for its host looks worse
--    than it is.
-- needs: host
-- combine: max
-- param: max_python_pct pct 30 0 100 share of Python frames among the slices from which it is told;
--    own choice
-- param: max_overhead_pct pct 5 0 100 time in slices that the profiler marks as its own overhead,
--    as share of the wall time, from which it is told; own choice
-- says: count not-zero = "# recorded"
-- says: slices_pct = "% of all slices"
-- says: overhead_ns not-gain = "% in all"
-- says: wall_pct = "(% of the wall time)"
-- source: PyTorch profiler documentation (with_stack and record_shapes add overhead); thresholds:
--    own.
WITH overhead AS (
  SELECT name, sum(count) AS slices, sum(dur_ns) AS dur_ns
  FROM host_total
  WHERE trace_id = :trace_id AND lower(category) = 'overhead'
  GROUP BY name),
frames AS (
  SELECT max(CASE WHEN name = 'python_frame_count' THEN value END) AS python,
    max(CASE WHEN name = 'slice_count' THEN value END) AS slices
  FROM metric
  WHERE trace_id = :trace_id AND name IN ('python_frame_count', 'slice_count')
    AND device IS NULL AND step IS NULL)
SELECT
  'Python frames (with_stack)' AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  f.python AS count,
  0 AS serious,
  f.python * 100.0 / f.slices AS slices_pct,
  NULL AS overhead_ns,
  NULL AS wall_pct
FROM frames f
WHERE f.python * 100.0 >= :max_python_pct * f.slices AND f.slices > 0
UNION ALL
SELECT
  o.name, NULL, 'measured', o.slices, 0, NULL, o.dur_ns,
  o.dur_ns * 100.0 / w.wall_ns
FROM overhead o
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(dur_ns) FROM overhead) * 100.0 >= :max_overhead_pct * w.wall_ns
ORDER BY slices_pct DESC, overhead_ns DESC, subject
