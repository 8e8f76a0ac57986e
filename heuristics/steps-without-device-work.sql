-- Some steps launched nothing: device recording started late, ended early or lost its data. Numbers
-- over such steps look like idle time or, worse, like a healthy run. Where the file is cut, steps behind
-- its last work do not count: their work was recorded, and is not in the file.
--
-- id: steps-without-device-work
-- order: 70
-- kind: quality
-- title: Some steps have no device work
-- do: Record again with a longer warm-up in the profiler's schedule. If it happens again, the
--    device's trace buffer is too small for so many steps: record fewer.
-- why: Where device work was not recorded, the device looks idle. Shares and means over all steps
--    are wrong.
-- needs: steps, device
-- param: max_missing_pct pct 20 0 100 steps without device work, as a share of the time of all
--    steps; reported above this; our default, no published source: the last step of a recording is
--    often cut short and has none
-- says: count not-zero = ""
-- says: missing_pct = "% of the time of all steps"
-- says: step_count = ""
-- says: first_step_with_work = "device work from step %"
-- says: last_step_with_work = "+to step %"
-- source: Reports of degenerate traces that other tools call healthy (device events in 2 of 32
--    steps).
WITH launched AS MATERIALIZED (
  SELECT m.step, max(m.value) AS ops FROM metric m
  WHERE m.trace_id = :trace_id AND m.name = 'device_op_count' AND m.step IS NOT NULL
    AND EXISTS (SELECT 1 FROM counted_step s WHERE s.trace_id = :trace_id AND s.device_ts IS NULL)
  GROUP BY m.step),
work AS (
  SELECT s.number, s.dur, coalesce(l.ops, s.device_ts IS NOT NULL) AS ops
  FROM counted_step s
  LEFT JOIN launched l ON l.step = s.number
  WHERE s.trace_id = :trace_id),
known AS (
  SELECT number, dur, ops, ops = 0 AND NOT (number > (SELECT max(number) FROM work WHERE ops > 0)
    AND EXISTS (SELECT 1 FROM metric m WHERE m.trace_id = :trace_id AND m.name = 'work_is_cut'))
    AS is_empty
  FROM work),
total AS (
  SELECT count(*) AS steps, sum(is_empty) AS empty, total(dur) AS dur_ns,
    total(CASE WHEN is_empty THEN dur ELSE 0 END) AS empty_ns,
    min(CASE WHEN ops > 0 THEN number END) AS first_with_work,
    max(CASE WHEN ops > 0 THEN number END) AS last_with_work
  FROM known)
SELECT
  t.empty || ' of ' || t.steps || ' steps have no device work' AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  t.empty AS count,
  1 AS serious,
  t.empty_ns * 100.0 / t.dur_ns AS missing_pct,
  t.steps AS step_count,
  t.first_with_work AS first_step_with_work,
  t.last_with_work AS last_step_with_work
FROM total t
WHERE t.empty_ns * 100.0 > :max_missing_pct * t.dur_ns
ORDER BY subject
