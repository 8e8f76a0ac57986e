-- Recording takes a large part of the recorded time.
--
-- id: profiler-overhead
-- order: 110
-- kind: quality
-- title: Recording slows down the run
-- do: Record without with_stack and record_shapes unless you need them. Record fewer steps.
-- why: Every recorded frame and shape costs host time. A run that waits for its host looks worse
--    than it is.
-- needs: host
-- param: max_python_pct pct 30 0 100 Python frames as a share of the slices; reported at or above
--    this; our default, no published source
-- param: max_overhead_pct pct 5 0 100 time in slices that the profiler marks as its own overhead,
--    as a share of the wall time; reported at or above this; our default, no published source
-- says: count not-zero = "# recorded"
-- says: slices_pct = "% of all slices"
-- says: overhead_ns not-gain = "% in total"
-- says: wall_pct = "(% of the wall time)"
-- source: PyTorch profiler documentation (with_stack and record_shapes add overhead); thresholds:
--    our defaults.
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
