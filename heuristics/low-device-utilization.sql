-- The device is idle most of the time, whatever the cause. An umbrella: its gain is what the
-- heuristics for single causes leave unexplained. Time in which a server has no request is left
-- out. Warm-up steps are left out; warm-up-in-trace reports them. One row per device.
--
-- id: low-device-utilization
-- order: 440
-- title: Unexplained idle time
-- do: Follow the advice on single causes first. If there is none, try a larger batch, and record
--    host activity to see what the device waits for. Where launched work is already queued, look at
--    the streams, devices and ranks that it waits for. Idle time before the first or after the last
--    operation matters less when more steady steps are recorded.
-- why: The device works less than half of the time that you pay for.
-- needs: device, idle
-- bucket: idle
-- combine: rest
-- param: max_busy_pct pct 50 0 100 share of the wall time in which the device is busy; reported
--    below this; torch_tb_profiler also uses 50 %
-- says: busy_pct = "busy for % of the wall time"
-- says: idle_ns not-gain = "% idle"
-- says: edge_idle_ns not-zero = "at least % of that before its first or after its last operation"
-- says: largest_cause = "largest cause between them: @"
-- says: largest_cause_ns = "(%)"
-- source: Intel Gaudi model optimization (batch size); threshold: torch_tb_profiler.
WITH cause AS (
  SELECT device, cause, sum(dur) AS dur_ns,
    row_number() OVER (PARTITION BY device ORDER BY sum(dur) DESC, cause) AS place
  FROM steady_gap WHERE trace_id = :trace_id AND cause <> 'no_work' GROUP BY device, cause),
rest AS (
  SELECT device, sum(dur) AS no_work_ns
  FROM steady_gap WHERE trace_id = :trace_id AND cause = 'no_work' GROUP BY device),
warm AS (SELECT number FROM step WHERE trace_id = :trace_id AND is_warm_up),
metrics AS (
  SELECT device,
    sum(CASE WHEN name = 'device_wait_ns' THEN iif(step IS NULL, value, -value) END)
      AS idle_ns,
    sum(CASE WHEN name = 'device_idle_ns' AND step IS NULL THEN value END)
      AS between_ns
  FROM metric
  WHERE trace_id = :trace_id AND device IS NOT NULL
    AND name IN ('device_wait_ns', 'device_idle_ns')
    AND (step IS NULL OR step IN (SELECT number FROM warm))
  GROUP BY device),
total AS (
  SELECT d.device, d.between_ns - coalesce(r.no_work_ns, 0) AS between_ns,
    d.idle_ns - coalesce(r.no_work_ns, 0) AS idle_ns,
    100 - (d.idle_ns - coalesce(r.no_work_ns, 0)) * 100.0
      / nullif(w.wall_ns - coalesce(r.no_work_ns, 0), 0) AS busy_pct
  FROM metrics d
  JOIN steady w ON w.trace_id = :trace_id
  LEFT JOIN rest r ON r.device = d.device)
SELECT
  'device ' || t.device AS subject,
  t.idle_ns AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  t.busy_pct AS busy_pct,
  t.idle_ns AS idle_ns,
  max(t.idle_ns - t.between_ns, 0) AS edge_idle_ns,
  c.cause AS largest_cause,
  c.dur_ns AS largest_cause_ns
FROM total t LEFT JOIN cause c ON c.device = t.device AND c.place = 1
WHERE t.busy_pct < :max_busy_pct AND t.idle_ns IS NOT NULL
ORDER BY gain_ns DESC, subject
