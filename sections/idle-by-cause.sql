-- Idle time by cause. The rows add up to the idle time, so the last one has what is left. The longest gaps and
-- the table gap have nothing of the edges, which the note gives.
--
-- title: Device idle time by cause
-- place: details 20
-- note-column: 0
-- json: gaps.by_cause 10
WITH placed AS (
  SELECT *, count(*) OVER () AS places, total(idle_ns) OVER () AS all_ns,
    row_number() OVER (ORDER BY idle_ns DESC, cause) AS place
  FROM idle_cause
  WHERE trace_id = :trace AND device IS NULL AND step IS nullif(:step, -1)),
named AS (
  SELECT *, iif(place < :limit - 1 OR places < :limit, cause, 'others') AS name FROM placed)
SELECT
  name, -- name "<cause"
  sum(idle_ns), -- ns "idle"
  100.0 * sum(idle_ns) / all_ns, -- pct "share"
  sum(count), -- count "?gaps"
  max(longest_ns), -- ns "?longest"
  name -- cause "<while"
FROM named
GROUP BY name
ORDER BY min(place)
-- @note
-- Nothing where the edges are so long that they do not count as idle time.
SELECT show_ns(edge_ns) || ' of it lie before the first and after the last device work.'
FROM (
  SELECT total(dur) AS all_ns, total(iif(at_edge, dur, 0)) AS edge_ns
  FROM idle_total
  WHERE trace_id = :trace AND device IS NULL AND step_id IS NULL)
WHERE edge_ns > 0 AND :step < 0 AND all_ns = (
  SELECT total(idle_ns)
  FROM idle_cause
  WHERE trace_id = :trace AND device IS NULL AND step IS NULL)
-- @json
SELECT trace_id, device, cause, idle_ns AS dur_ns, count
FROM idle_cause
WHERE step IS nullif(:step, -1)
ORDER BY trace_id, device, idle_ns DESC, cause
