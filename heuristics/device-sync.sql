-- The host stops until the device is done and loses its lead, so the device then waits for the
-- host. A wait costs at most its own duration, and at most the idle time until the next wait. Waits
-- below 100 us, which are no block, count where those of an operation on one thread that cost idle time take a part of the steps. Three kinds of waits do not count: those
-- within an exchange between ranks belong to exchange-wait; those for work of a step before the last keep
-- the host at most so many steps ahead, and the device still has a step to do; what a server reads is
-- its answer, also where its copy shows no direction. One row per operation that waits.
--
-- id: device-sync
-- order: 210
-- title: The host stops to wait for the device
-- do: {read_less}. Remove {sync_calls} from the loop.
-- why: The host cannot prepare the next work while it waits, so the device runs out of work after
--    every wait.
-- needs: host, device
-- edit: remove role = sync, output_copy within-steps not ahead not in role = input_copy, cpu_fallback, dataloader not in mark = copy_carrier, save, exchange not mark = blocking_fill, device_memory
-- edit: remove role = sync, output_copy within-steps in role = output_copy not in role = cpu_fallback, dataloader not in mark = save, exchange
-- edit: remove host mark = read_carrier within-steps not in role = cpu_fallback not in mark = save, exchange
-- edit: remove device kind = memcpy in role = output_copy not in role = cpu_fallback not in mark = save, exchange
-- edit: remove device kind = memcpy direction = DtoH in role = sync not in mark = save, exchange
-- param: min_per_step_ratio ratio 0.5 0 1000000 waits that cost idle time, per step; reported at or
--    above this; our default, no published source: one in every other step
-- param: block_ns ns 100000 0 1000000000 shortest call that host_block counts; shorter waits count by
--    min_step_pct
-- param: min_step_pct pct 2 0 100 time of the waits below 100 us of one operation on one thread that cost idle
--    time, as a share of the steps; such waits count at or above this; our default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: blocked_ns not-gain = "the host blocked for %"
-- says: idle_after_ns idle = "% idle until it waits again"
-- says: largest_cost_ns several = "the costliest %"
-- says: waiting_call = "in %"
-- says: waited_for = "mostly for %"
-- says: python = "called at %"
-- source: Intel Gaudi model optimization (print every 20 or more iterations); PyTorch performance
--    tuning guide (avoid synchronisation); threshold: our default.
WITH run AS MATERIALIZED (
  SELECT s.step_count, s.wall_ns FROM steady s WHERE s.trace_id = :trace_id),
turn AS MATERIALIZED (
  SELECT s.id, lag(s.ts) OVER (ORDER BY s.ts, s.id) AS before_ts
  FROM counted_step s WHERE s.trace_id = :trace_id),
answer AS MATERIALIZED (
  SELECT l.id FROM metric m JOIN label l
  WHERE m.trace_id = :trace_id AND m.name = 'is_server'
    AND (l.direction = 'DtoH' OR (l.direction IS NULL AND l.engine = 'copy'))),
needed AS MATERIALIZED (
  SELECT x.id FROM exchange_wait x WHERE x.trace_id = :trace_id
  UNION ALL
  SELECT e.id
  FROM host_event e
  JOIN wait_release r ON r.slice_id = e.slice_id
  JOIN slice_row o ON o.id = r.op_slice_id
  LEFT JOIN slice_row l ON l.id = r.launch_slice_id
  LEFT JOIN turn t ON t.id = e.step_id
  WHERE e.trace_id = :trace_id AND (l.ts < t.before_ts
      OR o.label_id IN (SELECT id FROM answer))),
blocking AS (
  SELECT coalesce(nullif(b.caller, ''), b.name) AS operation, b.name, b.python, b.dur, b.idle_ns,
    b.cost_ns
  FROM host_block b
  WHERE b.trace_id = :trace_id AND b.kind = 'sync' AND b.cost_ns > 0
    AND b.id NOT IN (SELECT id FROM needed)
  UNION ALL
  SELECT s.operation, s.name, s.python, s.dur, s.idle_after_ns, min(s.dur, s.lost_ns)
  FROM run w
  JOIN (SELECT coalesce(nullif(e.caller, ''), e.name) AS operation, e.name, e.python, e.dur,
      e.idle_after_ns, e.exposed_ns + e.idle_after_ns AS lost_ns,
      sum(e.dur) OVER (PARTITION BY e.thread_id, coalesce(nullif(e.caller, ''), e.name)) AS all_ns
    FROM steady_host_event e
    WHERE e.trace_id = :trace_id AND e.role = 'sync' AND NOT e.in_copy
      AND e.exposed_ns + e.idle_after_ns > 0 AND e.dur < :block_ns
      AND e.id NOT IN (SELECT id FROM needed)) s
  WHERE s.all_ns * 100.0 >= :min_step_pct * w.wall_ns AND w.step_count > 0),
released AS (
  SELECT coalesce(nullif(r.caller, ''), r.name) AS operation, r.name, r.op,
    row_number() OVER (PARTITION BY coalesce(nullif(r.caller, ''), r.name), r.name
      ORDER BY sum(r.op_ns) DESC, r.op) AS place
  FROM host_wait r
  WHERE r.trace_id = :trace_id AND r.op IS NOT NULL
  GROUP BY coalesce(nullif(r.caller, ''), r.name), r.name, r.op)
SELECT
  x.operation AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  count(*) AS count,
  CASE WHEN w.step_count > 0 THEN count(*) * 1.0 / w.step_count END AS per_step_ratio,
  sum(x.dur) AS blocked_ns,
  sum(x.idle_ns) AS idle_after_ns,
  max(x.cost_ns) AS largest_cost_ns,
  min(x.name) AS waiting_call,
  min(r.op) AS waited_for,
  min(x.python) AS python
FROM blocking x
LEFT JOIN released r ON r.operation = x.operation AND r.name = x.name AND r.place = 1
JOIN run w
WHERE (SELECT count(*) FROM blocking) >= :min_per_step_ratio * w.step_count
GROUP BY x.operation
ORDER BY sum(x.cost_ns) DESC, count DESC, subject
