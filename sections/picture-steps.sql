-- What the device did in each step; the parts of a step add up to its time on the host. A step that takes a fifth more than
-- the median is slow.
--
-- title: Steps, by what the device did
-- place: pictures 10
-- picture: steps
-- rows: 600
WITH shown AS (
  SELECT s.id, s.trace_id, s.number, s.dur, s.is_warm_up,
    (SELECT median_ns FROM step_spread p WHERE p.trace_id = s.trace_id) AS median_ns
  FROM counted_step s
  WHERE s.trace_id = :trace AND (:step < 0 OR s.number = :step)
  ORDER BY s.id
  LIMIT 60),
part AS (
  SELECT m.step, m.value AS ns, CASE m.name WHEN 'compute_busy_ns' THEN 1 WHEN 'exposed_communication_ns' THEN 2
    WHEN 'copy_exclusive_ns' THEN 3 ELSE 4 END AS place,
    CASE m.name WHEN 'compute_busy_ns' THEN 'computes' WHEN 'exposed_communication_ns' THEN 'communicates'
    WHEN 'copy_exclusive_ns' THEN 'copies' ELSE 'works, not recorded' END AS part
  FROM metric m
  WHERE m.trace_id = :trace AND m.device IS NULL AND m.step IS NOT NULL
    AND m.name IN ('compute_busy_ns', 'exposed_communication_ns', 'copy_exclusive_ns', 'device_unknown_ns')
  UNION ALL
  SELECT step, idle_ns, 5, 'idle: ' || replace(cause, '_', ' ')
  FROM idle_cause
  WHERE trace_id = :trace AND device IS NULL AND step IS NOT NULL)
SELECT
  s.number, -- name "step"
  p.ns, -- ns "time"
  iif(s.is_warm_up, 'warm-up', iif(s.dur > 1.2 * s.median_ns, 'slow', '')), -- name "<step is"
  p.part -- name "<the device"
FROM shown s
JOIN part p ON p.step = s.number
WHERE p.ns > 0
ORDER BY s.id, p.place, p.ns DESC, p.part
LIMIT :limit
-- @note
SELECT printf('The first 60 of %d steps.', count(*)) FROM counted_step WHERE trace_id = :trace AND :step < 0 HAVING count(*) > 60
