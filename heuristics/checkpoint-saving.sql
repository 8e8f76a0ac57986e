-- A checkpoint is saved within the steps while no device works: the state is copied from the device and
-- written to a file. One row per call.
--
-- id: checkpoint-saving
-- order: 286
-- title: A checkpoint is saved while the device waits
-- do: Save in the background (torch.distributed.checkpoint.async_save). The state is copied to pinned
--    memory of the host, and another thread writes it. Save less often, and only what is needed to go on.
-- why: The host copies every tensor and writes a file, and launches nothing in that time. If few steps
--    were recorded, one save takes a larger share of them than of the whole run.
-- needs: host, device
-- part-of: host-bound, device-sync
-- edit: remove mark = save within-steps
-- edit: remove device kind = memcpy in mark = save
-- param: min_cost_pct pct 1 0 100 time of saves with no device at work and of their copies from the
--    device, as a share of the wall time; reported at or above this; our default, no published source:
--    where low severity begins
-- says: count several = "# save~"
-- says: save_ns = "% of host time"
-- says: mean_ns several = "% each on average"
-- says: per_step_ratio not-zero = "% per step"
-- source: PyTorch distributed checkpoint (asynchronous saving); threshold: our default.
WITH save AS (
  SELECT name, sum(outer_count) AS calls, CAST(total(outer_ns) AS INTEGER) AS dur_ns,
    max(outer_exposed_ns) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'save' AND outer_count > 0
  GROUP BY name)
SELECT
  s.name AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  s.calls AS count,
  s.dur_ns AS save_ns,
  s.dur_ns / s.calls AS mean_ns,
  s.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio
FROM save s
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(exposed_ns) FROM save) * 100.0 >= :min_cost_pct * w.wall_ns
  AND s.exposed_ns > 0
ORDER BY save_ns DESC, subject
