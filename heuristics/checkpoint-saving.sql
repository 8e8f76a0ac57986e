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
-- says: count several = "# save~"
-- says: save_ns = "% of host time"
-- says: mean_ns several = "% each on average"
-- says: per_step_ratio not-zero = "% per step"
-- source: PyTorch distributed checkpoint (asynchronous saving).
WITH save AS (
  SELECT name, sum(outer_count) AS calls, CAST(total(outer_ns) AS INTEGER) AS dur_ns
  FROM host_total
  WHERE trace_id = :trace_id AND mark = 'save' AND outer_count > 0
  GROUP BY name
  HAVING max(outer_exposed_ns) > 0)
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
ORDER BY save_ns DESC, subject
