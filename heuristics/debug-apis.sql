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
-- bucket: idle, compute
-- param: min_check_per_step_ratio ratio 10 1 1000000 checks for NaN or infinity per step; reported
--    at or above this; our default, no published source: one or two are a check of the loss
-- param: max_delay_ns ns 1000000 0 10000000000 longest time from the end of a check to the start of
--    the call that reads its result, for the two to count as one; our default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: host_ns not-gain = "% of host time"
-- says: device_ns not-gain = "% on the device"
-- says: work_ns = ""
-- source: PyTorch performance tuning guide (disable debugging APIs); threshold: our default.
WITH checked AS (
  SELECT f.id, f.name, f.ts, f.ts + f.dur AS end_ts, f.exclusive_ns, s.number AS step
  FROM framework_op f
  LEFT JOIN step s ON s.id = f.step_id
  WHERE f.trace_id = :trace_id AND f.kind = 'check' AND NOT coalesce(s.is_warm_up, 0)),
call AS (
  SELECT c.id, c.ts, c.end_ts FROM checked c
  UNION ALL
  SELECT NULL, h.ts, h.ts + h.dur FROM steady_host_event h
  WHERE h.trace_id = :trace_id AND h.role IN ('output_copy', 'sync')),
answer AS (
  SELECT c.id, c.ts, c.end_ts, lead(c.id) OVER next AS next_id, lead(c.ts) OVER next AS next_ts,
    lead(c.end_ts) OVER next AS next_end_ts
  FROM call c
  WINDOW next AS (ORDER BY c.ts, c.end_ts DESC, c.id)),
span AS (
  SELECT c.id, c.name, c.step, c.exclusive_ns, c.ts,
    max(c.end_ts, iif(a.next_id IS NULL AND a.next_ts - c.end_ts <= :max_delay_ns, a.next_end_ts,
      c.end_ts)) AS until
  FROM checked c
  JOIN answer a ON a.id = c.id),
mark AS (
  SELECT s.ts AS at, s.id, s.step, s.until, 0 AS is_wait, 0 AS idle_ns FROM span s
  UNION ALL
  SELECT b.ts, NULL, b.step, NULL, 1, 0 FROM host_block b
  WHERE b.trace_id = :trace_id AND b.kind <> 'dataloader'
  UNION ALL
  SELECT g.ts + g.dur, NULL, g.step, NULL, 0, g.dur FROM steady_gap g
  WHERE g.trace_id = :trace_id AND g.cause NOT IN ('queued', 'unknown', 'collective')),
inside AS (
  SELECT m.*, max(m.until) OVER (ORDER BY m.at, m.id IS NULL, m.id ROWS UNBOUNDED PRECEDING)
    AS open_until
  FROM mark m),
turn AS (
  SELECT i.*, sum(i.is_wait AND coalesce(i.open_until, 0) <= i.at)
    OVER (ORDER BY i.at, i.id IS NULL, i.id ROWS UNBOUNDED PRECEDING) AS waits
  FROM inside i),
idle AS (
  SELECT t.step, t.waits, sum(t.idle_ns) AS idle_ns,
    sum(iif(t.id IS NULL, 0, t.until - t.at)) AS span_ns
  FROM turn t
  GROUP BY t.step, t.waits),
cost AS (
  SELECT s.name, s.until - s.ts AS ns, s.exclusive_ns,
    min(i.idle_ns, i.span_ns) * 1.0 * (s.until - s.ts) / max(i.span_ns, 1) AS idle_ns
  FROM turn t
  JOIN span s ON s.id = t.id
  JOIN idle i ON i.step IS t.step AND i.waits = t.waits),
aid AS (
  SELECT h.name, sum(h.count) AS calls, sum(h.dur_ns) AS dur_ns, max(h.exposed_ns) AS exposed_ns,
    h.mark <> 'debug_tool' AS is_check, h.mark = 'debug_answer' AS is_answer
  FROM host_total h
  WHERE h.trace_id = :trace_id
    AND h.mark IN ('debug_check', 'debug_answer', 'debug_tool')
  GROUP BY h.name, h.mark)
SELECT
  a.name AS subject,
  iif(a.is_check, CAST(total(c.idle_ns) + total(c.exclusive_ns) AS INTEGER), a.exposed_ns) AS gain_ns,
  'inferred' AS confidence,
  a.calls AS count,
  a.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,
  coalesce(sum(c.ns), a.dur_ns) AS host_ns,
  sum(c.exclusive_ns) AS device_ns,
  coalesce(sum(c.exclusive_ns), 0) AS work_ns
FROM aid a
JOIN steady w ON w.trace_id = :trace_id
LEFT JOIN cost c ON c.name = a.name
WHERE NOT a.is_check OR (SELECT sum(x.calls) FROM aid x WHERE x.is_check AND NOT x.is_answer)
  >= :min_check_per_step_ratio * max(w.step_count, 1)
GROUP BY a.name
ORDER BY gain_ns DESC, count DESC, subject
