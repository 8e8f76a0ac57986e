-- Steps. A step is busy while any device of the trace works, and idle while none does, as the verdict has it.
--
-- title: Steps
-- place: details 10
WITH m AS (
  SELECT step,
    max(CASE name WHEN 'device_busy_pct' THEN value END) AS busy,
    max(CASE name WHEN 'idle_ns' THEN value END) AS wait,
    max(CASE name WHEN 'dataloader_ns' THEN value END) AS loader,
    max(CASE name WHEN 'input_copy_ns' THEN value END) AS copies,
    max(CASE name WHEN 'compile_ns' THEN value END) AS compile,
    max(CASE name WHEN 'sync_blocked_ns' THEN value END) AS sync
  FROM metric
  WHERE trace_id = :trace AND step IS NOT NULL AND device IS NULL
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
FROM counted_step s
LEFT JOIN m ON m.step = s.number
WHERE s.trace_id = :trace AND (:step < 0 OR s.number = :step)
ORDER BY s.id
LIMIT :limit
-- @note
SELECT 'Busy: any device works; idle: none does.'
FROM (SELECT 1 FROM metric WHERE trace_id = :trace AND name = 'idle_ns' AND step IS NOT NULL AND device IS NOT NULL
  GROUP BY step HAVING count(*) > 1 LIMIT 1)
