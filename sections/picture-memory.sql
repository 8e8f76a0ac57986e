-- The most in use in each of 200 equal parts of the recording.
--
-- title: Memory in use
-- place: pictures 30
-- picture: curve
-- step: no
-- rows: 1600
WITH piece AS (
  SELECT c.device, c.in_use_bytes, c.ts - t.start_ns AS from_start_ns,
    200 * (c.ts - t.start_ns) / max(1, t.end_ns - t.start_ns + 1) AS place
  FROM memory_curve c
  JOIN trace t ON t.id = c.trace_id
  WHERE c.trace_id = :trace AND c.device <> 'cpu')
SELECT
  device, -- name "device"
  min(from_start_ns), -- ns "from"
  max(in_use_bytes) -- bytes "most in use"
FROM piece
GROUP BY device, place
ORDER BY CAST(device AS INTEGER), device, place
LIMIT :limit
