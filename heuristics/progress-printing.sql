-- The host waits for the device within a Python frame that prints or logs, or right before one. Right
-- before one a wait below 100 us, which is no block, counts only where the host reads a value with it. One
-- row per call that prints.
--
-- id: progress-printing
-- order: 220
-- title: Printing progress holds up the host
-- do: Print or log every 20 steps or more. Keep the values on the device until then.
-- why: A number can be printed only after the device has computed it. The host prepares no work while it
--    waits and while it prints, and then the device waits for the host.
-- needs: host, device, stacks
-- part-of: device-sync
-- edit: remove role = sync, output_copy before mark = printing with-work
-- edit: remove role = sync, output_copy in mark = printing with-work
-- edit: remove host mark = read_carrier before mark = printing
-- edit: remove host mark = printing
-- param: min_per_step_ratio ratio 0.05 0 1000000 such waits per step; reported at or above this;
--    the Gaudi guide recommends printing every 20 iterations or more
-- param: max_delay_ns ns 1000000 0 10000000000 longest time from the end of a wait to the start of
--    the call that prints, for the two to count as one; our default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: blocked_ns = "the host blocked for %"
-- says: waiting_call = "in %"
-- says: python = "called at %"
-- says: printing_ns = "the calls that print took %"
-- source: Intel Gaudi model optimization (refresh progress output every 20 iterations or more);
--    second threshold: our default.
WITH wait AS (
  SELECT e.id, e.dur, e.name, e.caller, e.python, e.thread_id, e.ts, e.ts + e.dur AS end_ts,
    b.id IS NOT NULL OR l.direction IS 'DtoH'
      OR e.caller IN (SELECT c.name FROM label c WHERE c.role = 'output_copy') AS is_read
  FROM steady_host_event e
  LEFT JOIN host_block b ON b.id = e.id AND b.kind = 'sync'
  LEFT JOIN wait_release r ON r.slice_id = e.slice_id
  LEFT JOIN slice_row o ON o.id = r.op_slice_id
  LEFT JOIN label l ON l.id = o.label_id
  WHERE e.trace_id = :trace_id AND (b.id IS NOT NULL OR e.role = 'sync' AND NOT e.in_copy)),
frame AS (
  SELECT f.thread_id, f.ts, f.ts + f.dur AS end_ts, f.name
  FROM framework_op f
  WHERE f.trace_id = :trace_id AND f.kind = 'printing'),
mark AS (
  SELECT w.id, w.thread_id, w.end_ts AS at, NULL AS frame_end_ts, NULL AS name
  FROM wait w
  UNION ALL
  SELECT NULL, f.thread_id, f.ts, f.end_ts, f.name
  FROM frame f),
around AS (
  SELECT m.id, m.thread_id, m.at,
    lead(m.name) OVER next AS next_name,
    lead(CASE WHEN m.name IS NOT NULL THEN m.at END) OVER next AS next_ts,
    lead(m.frame_end_ts) OVER next AS next_end_ts,
    max(m.frame_end_ts) OVER before AS open_end_ts
  FROM mark m
  WINDOW next AS (PARTITION BY m.thread_id ORDER BY m.at, m.id IS NULL, m.id),
    before AS (PARTITION BY m.thread_id ORDER BY m.at, m.id IS NULL, m.id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
open_frame AS (
  SELECT f.thread_id, min(f.ts) AS ts, f.end_ts, max(f.name) AS name
  FROM frame f
  GROUP BY f.thread_id, f.end_ts),
printed AS (
  SELECT w.*, coalesce(o.name, a.next_name) AS printed_by,
    CASE WHEN row_number() OVER (PARTITION BY w.thread_id, coalesce(o.ts, a.next_ts) ORDER BY w.id) = 1
      THEN coalesce(o.end_ts - o.ts, a.next_end_ts - a.next_ts) ELSE 0 END AS printing_ns
  FROM around a
  JOIN wait w ON w.id = a.id
  LEFT JOIN open_frame o ON o.thread_id = a.thread_id AND o.end_ts = a.open_end_ts
    AND o.end_ts >= a.at
  WHERE o.name IS NOT NULL OR w.is_read AND a.next_ts - a.at <= :max_delay_ns)
SELECT
  p.printed_by AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  count(*) AS count,
  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,
  sum(p.dur) AS blocked_ns,
  min(coalesce(nullif(p.caller, ''), p.name)) AS waiting_call,
  min(p.python) AS python,
  sum(p.printing_ns) AS printing_ns
FROM printed p
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT count(*) FROM printed) >= :min_per_step_ratio * w.step_count
GROUP BY p.printed_by
ORDER BY blocked_ns DESC, count DESC, subject
