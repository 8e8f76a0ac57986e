-- The host records no operation and no call for much longer than is usual between two of them, while the
-- device has nothing to do (table host_silence). Python computes, reads, writes or waits there, and no
-- capture of graphs makes that shorter, so host-bound does not count it. One row per place: the innermost
-- range or Python frame around more than half of a pause, or else what was recorded before and after it.
--
-- id: host-pause
-- order: 145
-- title: The host pauses while the device waits
-- do: Find out what the program does there, and do it elsewhere or less often. Work on data belongs
--    into the workers of the loader; evaluation, logs and checkpoints into another thread, or between
--    more steps. To see the line of code, record with
--    with_stack=True, put record_function() around what you suspect, or run py-spy on the process.
-- why: Nothing is recorded for much longer than is usual between two operations: Python computes,
--    reads or writes files, or waits for something outside of the recording.
-- needs: host, device, launches
-- edit: remove silence = pause
-- says: count not-zero = "# pause~"
-- says: idle_ns idle = "% idle"
-- says: wall_pct = "(% of the wall time)"
-- says: mean_ns several = "% each on average"
-- says: longest_ns several = "the longest %"
-- says: in_steps = "in %"
-- says: follows = "after %"
-- says: precedes = "before %"
-- says: owner = "the innermost line with more than half of all pauses is %"
-- says: owner_ns = "(%)"
-- source: PyTorch profiler recipe (with_stack, record_function); thresholds (lib/analysis/silence.h): our
--    defaults.
WITH pause AS (
  SELECT g.dur, g.step, (SELECT x.rowid FROM host_silence x
      WHERE x.trace_id = :trace_id AND x.ts <= g.ts AND x.kind = 'pause'
      ORDER BY x.ts DESC LIMIT 1) AS silence
  FROM steady_gap g
  WHERE g.trace_id = :trace_id AND g.cause = 'host_pause'),
named AS (
  SELECT p.dur, p.step, o.name AS owner, b.name AS follows, a.name AS precedes,
    coalesce(o.name, coalesce('between ' || b.name || ' and ', 'before ') || a.name) AS place
  FROM pause p
  JOIN host_silence s ON s.rowid = p.silence
  JOIN label a ON a.id = s.after_label_id
  LEFT JOIN label b ON b.id = s.before_label_id
  LEFT JOIN label o ON o.id = s.owner_label_id),
place AS (
  SELECT place, owner, count(*) AS pauses, sum(dur) AS dur_ns, max(dur) AS longest_ns,
    count(DISTINCT step) AS steps, step, follows, precedes
  FROM named GROUP BY place),
main AS (
  SELECT l.name AS owner, o.owned_ns
  FROM pause_owner o
  JOIN label l ON l.id = o.label_id
  WHERE o.trace_id = :trace_id)
SELECT
  p.place AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  p.pauses AS count,
  p.dur_ns AS idle_ns,
  p.dur_ns * 100.0 / w.wall_ns AS wall_pct,
  p.dur_ns / p.pauses AS mean_ns,
  p.longest_ns AS longest_ns,
  CASE WHEN p.steps = 1 THEN 'step ' || p.step
    WHEN p.steps > 1 THEN p.steps || ' of ' || w.step_count || ' steps' END AS in_steps,
  iif(p.owner IS NULL, NULL, p.follows) AS follows,
  iif(p.owner IS NULL, NULL, p.precedes) AS precedes,
  m.owner AS owner,
  m.owned_ns AS owner_ns
FROM place p
JOIN steady w ON w.trace_id = :trace_id
LEFT JOIN main m ON m.owner IS NOT p.owner
  AND p.dur_ns = (SELECT max(dur_ns) FROM place)
ORDER BY p.dur_ns DESC, subject
