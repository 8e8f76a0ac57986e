-- The trace has work of a framework, but no device, no call of a device's runtime and no name of a device:
-- the program computes on the CPU. Then there is nothing to switch on in the profiler.
--
-- id: cpu-only-run
-- order: 35
-- kind: quality
-- title: The program computes on the CPU
-- do: Move model and inputs to a device, if there is one. Check that the framework sees it
--    (torch.cuda.is_available() and the like). If the CPU is meant, read the times of operators below.
-- why: No call of a device's runtime was recorded, so no setting of the profiler would show device work.
-- needs: host, framework
-- says: op_count = "# call~ of operators"
-- says: op_ns = "% in them"
-- says: top_op = "most in %"
-- says: top_ns = "(%)"
-- source: tracecoach: a trace without a device is told from one whose device was not recorded.
WITH op AS (
  SELECT o.name, sum(o.count) AS calls, sum(o.host_self_ns) AS self_ns
  FROM operator_total o
  WHERE o.trace_id = :trace_id AND :trace_id IN (SELECT c.trace_id FROM computes_on_cpu c)
  GROUP BY o.name),
top AS (
  SELECT o.name, o.self_ns FROM op o ORDER BY o.self_ns DESC, o.name LIMIT 1)
SELECT
  'no device and no call of its runtime' AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  NULL AS count,
  0 AS serious,
  (SELECT sum(o.calls) FROM op o) AS op_count,
  (SELECT sum(o.self_ns) FROM op o) AS op_ns,
  p.name AS top_op,
  p.self_ns AS top_ns
FROM trace t
JOIN top p
WHERE t.id = :trace_id AND t.id IN (SELECT c.trace_id FROM computes_on_cpu c)
ORDER BY subject
