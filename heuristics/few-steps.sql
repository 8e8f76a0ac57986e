-- The trace has fewer complete steps than a mean needs.
--
-- id: few-steps
-- order: 60
-- kind: quality
-- title: Too few steps for stable numbers
-- do: Record at least three active steps after warm-up; five to ten are plenty.
-- why: One or two steps cannot show what is usual and what happened once.
-- needs: steps
-- param: min_step_count count 3 1 1000 complete steps; reported below this; with three, an outlier
--    is visible
-- says: count not-zero = ""
-- source: habana_perf_tool and the PyTorch profiler examples use three active steps; threshold: our
--    default.
SELECT
  count(*) || ' complete step' || CASE WHEN count(*) > 1 THEN 's' ELSE '' END AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  count(*) AS count,
  0 AS serious
FROM counted_step s
WHERE s.trace_id = :trace_id
HAVING count(*) < :min_step_count
ORDER BY subject
