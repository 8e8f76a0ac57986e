-- Operations run on the CPU, and their tensors are copied there and mostly back: the device does not
-- support them, or the program copies the tensors itself. Detected by the bridge's mark, by a copy down
-- and a copy up within one operation, by operations that call no device after a copy to the host, or
-- by the counts of side files. An Ascend device has a CPU of its own for what its cores lack: no copies
-- then, but the cores wait. One row per operation.
--
-- id: cpu-fallback
-- order: 200
-- title: Operations run on the CPU between work of the device
-- do: Run the operation {on_device}. Do not copy its inputs to the host; where the device lacks it,
--    replace it or cast its inputs to a supported type. If it must stay, move it out of the step, or do
--    it less often.
-- why: The tensors go to the host and back, or the cores of the device wait for its own CPU, and
--    there is nothing else to do until the result is there.
-- needs: fallbacks
-- edit: remove host role = cpu_fallback with-work
-- edit: remove device mark = ai_cpu
-- always-if: told_by
-- param: min_count count 1 1 1000000 fallbacks in the trace, without warm-up, or of one operation
--    in a side file; reported at or above this; one per step already stops the device
-- says: per_step_ratio not-zero = "% per step"
-- says: blocked_ns not-gain = "the host blocked for %"
-- says: mean_cost_ns several = "the device does nothing but copies for % each on average"
-- says: on_device_ns = "% on the AI CPU of the device, while nothing else runs"
-- says: host_call = "seen as %"
-- says: python = "called at %"
-- says: logged_count = "# in the run according to the side files"
-- says: told_by = "counted in the %"
-- says: compared = "%"
-- source: Intel Gaudi model optimization (placement of operations on the HPU); Intel Gaudi
--    documentation (runtime metrics).
WITH half AS (
  SELECT b.caller, b.name, b.role, b.dur, b.python, b.cost_ns + b.exposed_ns AS cost_ns
  FROM host_block b
  WHERE b.trace_id = :trace_id AND b.kind = 'cpu_fallback'),
traced AS (
  SELECT coalesce(nullif(h.caller, ''), h.name) AS operation,
    sum(h.role <> 'input_copy') AS times, sum(h.dur) AS dur_ns, sum(h.cost_ns) AS cost_ns,
    min(h.name) AS host_call, min(h.python) AS python,
    max(h.role = 'cpu_fallback') AS is_marked
  FROM half h
  GROUP BY operation
  HAVING sum(h.role <> 'input_copy') > 0 AND (SELECT sum(role <> 'input_copy') FROM half) >= :min_count),
logged AS (
  SELECT s.operation, s.told_by, s.times,
    (SELECT count(*) FROM host_event e
      WHERE e.trace_id = :trace_id AND e.role = 'cpu_fallback' AND e.caller = s.operation)
      AS marked_count
  FROM side_fallback s
  WHERE s.trace_id = :trace_id AND s.times >= :min_count),
sees AS (
  SELECT max(iif(c.name = 'bridge', c.present, 0)) AS trace_sees,
    max(iif(c.name = 'fallback_counts', c.present, 0)) AS files_see
  FROM capability c
  WHERE c.trace_id = :trace_id),
on_device AS (
  SELECT o.name, sum(o.count) AS times, sum(o.exclusive_ns) AS cost_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id AND o.mark = 'ai_cpu'
  GROUP BY o.name
  HAVING sum(o.count) >= :min_count),
joined AS (
  SELECT t.operation, t.cost_ns, t.times, t.dur_ns, t.host_call, t.python,
    CASE WHEN t.is_marked OR s.times > 0 THEN 'measured' ELSE 'inferred' END AS confidence,
    s.times AS logged_count, s.told_by, s.marked_count, NULL AS on_device_ns
  FROM traced t
  LEFT JOIN logged s ON s.operation = t.operation
  UNION ALL
  SELECT d.name, d.cost_ns, d.times, NULL, NULL, NULL, 'measured', NULL, NULL, NULL, d.cost_ns
  FROM on_device d
  UNION ALL
  SELECT s.operation, NULL, NULL, NULL, NULL, NULL, 'measured', s.times, s.told_by, s.marked_count,
    NULL
  FROM logged s
  WHERE s.operation NOT IN (SELECT operation FROM traced))
SELECT
  j.operation AS subject,
  NULL AS gain_ns,
  j.confidence AS confidence,
  coalesce(j.times, j.logged_count) AS count,
  CASE WHEN w.step_count > 0 THEN j.times * 1.0 / w.step_count END AS per_step_ratio,
  j.dur_ns AS blocked_ns,
  iif(j.on_device_ns IS NULL, j.cost_ns / j.times, NULL) AS mean_cost_ns,
  j.on_device_ns AS on_device_ns,
  j.host_call AS host_call,
  j.python AS python,
  j.logged_count AS logged_count,
  j.told_by AS told_by,
  CASE WHEN j.logged_count IS NULL THEN iif(v.files_see, 'the files do not name it', NULL)
    WHEN j.times IS NULL AND NOT v.trace_sees THEN 'the trace cannot show it'
    WHEN j.times IS NULL AND j.marked_count = 0 THEN 'the trace has none'
    WHEN j.times IS NULL THEN 'the trace has them in warm-up only'
    WHEN j.logged_count < j.times THEN 'the files count fewer than the trace'
    ELSE 'trace and files agree' END AS compared
FROM joined j
JOIN steady w ON w.trace_id = :trace_id
JOIN sees v
ORDER BY j.cost_ns DESC, count DESC, subject
