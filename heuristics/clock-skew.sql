-- Device work starts before the call that launched it: host and device clocks disagree.
--
-- id: clock-skew
-- order: 90
-- kind: quality
-- title: Host and device clocks disagree
-- do: Record again. If it happens again, update the driver and the profiler. Do not trust delays
--    between host and device in this trace.
-- why: Gaps, launch delays and their causes compare host times with device times. They are wrong by
--    as much as the clocks differ.
-- needs: launches
-- param: serious_pct pct 1 0 100 share of the launched operations that start too early; the note is
--    serious at or above this; our default, no published source
-- says: share_pct = "% of the launched operations"
-- says: message = "%"
-- source: Public reports of wrong gaps between CPU and device in Gaudi traces; threshold: our
--    default.
WITH skew AS (
  SELECT sum(count) AS ops, min(message) AS message
  FROM import_log
  WHERE trace_id = :trace_id AND kind = 'clock_skew'),
zero AS (
  SELECT coalesce(sum(count), 0) AS ops
  FROM import_log
  WHERE trace_id = :trace_id AND kind = 'zero_timestamp'),
launched AS (
  SELECT sum(value) AS ops FROM metric
  WHERE trace_id = :trace_id AND name = 'launched_op_count' AND device IS NOT NULL
    AND step IS NULL)
SELECT
  'device work before its launch' AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  s.ops AS count,
  coalesce(s.ops * 100.0 >= :serious_pct * l.ops, 1) AS serious,
  s.ops * 100.0 / l.ops AS share_pct,
  s.message AS message
FROM skew s
JOIN launched l
JOIN zero z
WHERE s.ops > z.ops
ORDER BY subject
