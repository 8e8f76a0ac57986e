-- Device work, or host slices, at ts 0, far before everything else: the clock could not be mapped,
-- and the writer put 0 in place of a negative time. No time in the store counts them.
--
-- id: zero-timestamps
-- order: 100
-- kind: quality
-- title: Work without a start time was left out
-- do: Record again. If it happens again, update the driver and the profiler. Until then, assume
--    that the device is busier than shown.
-- why: The device did this work, but the trace does not show when. It counts in no busy time, so
--    the device looks idle instead.
-- needs: device
-- param: serious_pct pct 1 0 100 device operations at ts 0 as a share of all; the note is serious
--    at or above this; our default, no published source
-- says: device_ops_pct = "% of the device operations"
-- source: The Gaudi bridge writes device times before its time base as 0; a public kineto trace
--    with a kernel at ts 0; threshold: our default.
WITH zero AS (
  SELECT sum(count) AS ops
  FROM import_log
  WHERE trace_id = :trace_id AND kind = 'zero_timestamp'),
total AS (
  SELECT sum(value) AS ops FROM metric
  WHERE trace_id = :trace_id AND name = 'device_op_count' AND device IS NOT NULL
    AND step IS NULL)
SELECT
  'device work at time 0, far before the rest' AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  z.ops AS count,
  coalesce(z.ops * 100.0 >= :serious_pct * t.ops, 1) AS serious,
  z.ops * 100.0 / t.ops AS device_ops_pct
FROM zero z
JOIN total t
WHERE z.ops > 0
UNION ALL
SELECT 'host slices at time 0, far before the rest', NULL, 'measured', sum(count), 0, NULL
FROM import_log
WHERE trace_id = :trace_id AND kind = 'zero_host_timestamp'
HAVING sum(count) > 0
ORDER BY subject
