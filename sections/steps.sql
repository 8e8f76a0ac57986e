-- Steps, with the times of the first device of the trace only.
--
-- title: Steps
-- place: details 10
WITH first(device) AS (
  SELECT device FROM metric WHERE trace_id = :trace AND device IS NOT NULL AND step IS NULL
  ORDER BY CAST(device AS INTEGER), device LIMIT 1),
m AS (
  SELECT step,
    max(CASE name WHEN 'device_busy_pct' THEN value END) AS busy,
    max(CASE name WHEN 'idle_ns' THEN value END) AS wait,
    max(CASE name WHEN 'dataloader_ns' THEN value END) AS loader,
    max(CASE name WHEN 'input_copy_ns' THEN value END) AS copies,
    max(CASE name WHEN 'compile_ns' THEN value END) AS compile,
    max(CASE name WHEN 'sync_blocked_ns' THEN value END) AS sync
  FROM metric
  WHERE trace_id = :trace AND step IS NOT NULL
    AND (device IS NULL OR device = (SELECT device FROM first))
  GROUP BY step)
SELECT
  s.number || iif(s.is_warm_up, ' warm-up', ''), -- name "<step"
  s.dur, -- ns "host"
  m.busy, -- pct "busy"
  m.wait, -- ns "idle"
  m.loader, -- ns "loader"
  m.compile, -- ns "?compile"
  m.sync, -- ns "?blocked"
  m.copies, -- ns "?input copy"
  s.device_dur -- ns "?device"
FROM step s
LEFT JOIN m ON m.step = s.number
WHERE s.trace_id = :trace AND (:step < 0 OR s.number = :step)
ORDER BY s.id
LIMIT :limit
