-- A gap has a piece for each cause: fewer than 16. So the longest gaps are in 16 times as many of the longest
-- pieces, which are found without a look at all of them, hundreds of thousands. The table shows two causes of a
-- gap, since more leave no room for the other columns.
--
-- title: Longest gaps
-- place: details 30
-- json: gaps.longest 20
WITH piece AS MATERIALIZED (
  SELECT *
  FROM gap
  WHERE trace_id = :trace AND gap_ts IS NOT NULL
    AND (:step < 0 OR step_id IN (SELECT id FROM step WHERE trace_id = :trace AND number = :step))
  ORDER BY gap_dur DESC, gap_ts, device
  LIMIT :limit * 16),
whole AS (
  SELECT gap_dur, gap_ts, device, max(step_id) AS step_id
  FROM piece
  GROUP BY device, gap_ts
  ORDER BY gap_dur DESC, gap_ts, device
  LIMIT :limit)
SELECT
  w.gap_dur, -- ns "idle"
  w.gap_ts - (SELECT start_ns FROM trace WHERE id = :trace), -- ns "after start"
  w.device, -- name "?device"
  (SELECT number FROM step WHERE id = w.step_id), -- name "?step"
  (SELECT group_concat(text, ', ')
    FROM (SELECT p.cause ||
        iif(sum(p.dur) = w.gap_dur, '', printf(' %.0f %%', 100.0 * sum(p.dur) / w.gap_dur)) AS text
      FROM piece p
      WHERE p.gap_ts = w.gap_ts AND p.device = w.device
      GROUP BY p.cause
      HAVING sum(p.dur) * 200 >= w.gap_dur
      ORDER BY sum(p.dur) DESC, p.cause
      LIMIT 2)), -- name "<largest causes"
  (SELECT l.name
    FROM piece p
    LEFT JOIN slice_row s ON s.id = p.host_slice_id
    LEFT JOIN label l ON l.id = s.label_id
    WHERE p.gap_ts = w.gap_ts AND p.device = w.device AND p.cause <> 'queued'
    ORDER BY p.dur DESC, p.cause
    LIMIT 1) -- name "<host meanwhile"
FROM whole w
ORDER BY w.gap_dur DESC, w.gap_ts, w.device
-- @json
SELECT id, trace_id, device, step, ts, dur, cause, gap_ts, gap_dur, host_slice_id, next_launch_slice_id,
  launch_delay_ns
FROM (
  SELECT *, dense_rank() OVER (ORDER BY gap_dur DESC, trace_id, device, gap_ts) AS place
  FROM (
    SELECT g.*, s.number AS step
    FROM gap g
    LEFT JOIN step s ON s.id = g.step_id
    WHERE (:step < 0 OR s.number = :step) AND g.gap_ts IS NOT NULL
    ORDER BY g.gap_dur DESC, g.trace_id, g.device, g.gap_ts
    LIMIT 16 * :rows))
WHERE place <= :rows
ORDER BY place, dur DESC, id
