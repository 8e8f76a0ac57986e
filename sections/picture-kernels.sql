-- Kernels of all devices by their time, six parts in each power of ten. Of very many slices every n-th counts for n.
--
-- title: How long kernels take
-- place: pictures 60
-- picture: histogram
-- step: no
-- rows: 100
WITH every(n) AS (
  SELECT 1 + value / 500000 FROM metric WHERE trace_id = :trace AND name = 'slice_count' AND step IS NULL AND device IS NULL),
kernel AS (
  SELECT s.dur, length(s.dur) AS digits, CAST(substr(s.dur || '0', 1, 2) AS INTEGER) AS first_two
  FROM slice_row s
  JOIN track t ON t.id = s.track_id AND t.device IS NOT NULL AND t.trace_id = :trace
  JOIN label l ON l.id = s.label_id AND l.kind = 'kernel'
  WHERE s.id % (SELECT CAST(n AS INTEGER) FROM every) = 0 AND s.dur > 0),
part AS (
  SELECT digits, CASE WHEN first_two < 15 THEN 10 WHEN first_two < 20 THEN 15 WHEN first_two < 30 THEN 20
    WHEN first_two < 50 THEN 30 WHEN first_two < 70 THEN 50 ELSE 70 END AS first_two,
    count(*) AS count, total(dur) AS ns
  FROM kernel
  GROUP BY 1, 2)
SELECT
  CAST(0.0 + printf('%.1fe%d', first_two / 10.0, digits - 1) AS INTEGER), -- ns "from"
  CAST(0.0 + printf('%.1fe%d', CASE first_two WHEN 10 THEN 1.5 WHEN 15 THEN 2 WHEN 20 THEN 3 WHEN 30 THEN 5 WHEN 50 THEN 7
    ELSE 10 END, digits - 1) AS INTEGER), -- ns "to"
  count * (SELECT CAST(n AS INTEGER) FROM every), -- count "kernels"
  ns * (SELECT n FROM every) -- ns "time"
FROM part
ORDER BY digits, first_two
LIMIT :limit
-- @note
SELECT printf('Every %d. slice was looked at.', n) FROM (SELECT CAST(1 + value / 500000 AS INTEGER) AS n FROM metric
  WHERE trace_id = :trace AND name = 'slice_count' AND step IS NULL AND device IS NULL) WHERE n > 1
