-- Debugging aids are left on. One row per aid.
--
-- id: debug-apis
-- order: 250
-- title: Debugging aids are switched on
-- do: Switch off detect_anomaly, gradcheck, emit_nvtx and NaN checks. They are for debugging,
--    not for normal runs.
-- why: They check every operation, and often read the result back.
-- needs: host, device
-- part-of: host-bound, device-sync
-- edit: remove host mark = debug_check, debug_tool with-work
-- edit: remove host mark = debug_answer after mark = debug_check with-work
-- edit: remove role = sync, output_copy after mark = debug_check, debug_answer with-work
-- edit: remove host mark = read_carrier, bridge_cut after mark = debug_check, debug_answer
-- param: min_check_per_step_ratio ratio 10 1 1000000 checks for NaN or infinity per step; reported
--    at or above this; our default, no published source: one or two are a check of the loss
-- says: per_step_ratio not-zero = "% per step"
-- says: host_ns = "% of host time"
-- says: device_ns = "% on the device"
-- source: PyTorch performance tuning guide (disable debugging APIs); threshold: our default.
WITH checked AS (
  SELECT f.name, sum(f.exclusive_ns) AS device_ns
  FROM framework_op f
  LEFT JOIN step s ON s.id = f.step_id
  WHERE f.trace_id = :trace_id AND f.kind = 'check' AND NOT coalesce(s.is_warm_up, 0)
  GROUP BY f.name),
aid AS (
  SELECT h.name, sum(h.count) AS calls, sum(h.dur_ns) AS host_ns,
    h.mark <> 'debug_tool' AS is_check, h.mark = 'debug_answer' AS is_answer
  FROM host_total h
  WHERE h.trace_id = :trace_id
    AND h.mark IN ('debug_check', 'debug_answer', 'debug_tool')
  GROUP BY h.name, h.mark)
SELECT
  a.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  a.calls AS count,
  a.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  a.host_ns AS host_ns,
  c.device_ns AS device_ns
FROM aid a
JOIN steady w ON w.trace_id = :trace_id
LEFT JOIN checked c ON c.name = a.name
WHERE NOT a.is_check OR (SELECT sum(x.calls) FROM aid x WHERE x.is_check AND NOT x.is_answer)
  >= :min_check_per_step_ratio * max(w.step_count, 1)
ORDER BY host_ns DESC, count DESC, subject
