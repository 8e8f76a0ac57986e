-- Launches return only when their kernel has ended, which is how they behave when a variable of the
-- environment asks for it. The host then never runs ahead of the device, and every launch is idle time.
--
-- id: launch-blocking
-- order: 205
-- title: Every launch waits until its kernel has ended
-- do: Unset {blocking_variable} where the run is started. It is there to find the operator that fails,
--    and belongs to such a run alone.
-- why: The host prepares the next operation only when the device has finished the one before, so the
--    device has nothing to do between any two kernels.
-- needs: host, device
-- edit: nowait host mark = kernel_launch
-- says: blocked_ns not-gain = "% in these calls"
-- source: CUDA C++ programming guide, environment variables (CUDA_LAUNCH_BLOCKING); HIP documentation,
--    debugging (AMD_SERIALIZE_KERNEL).
WITH call AS (
  SELECT name, sum(count) AS count, sum(dur_ns) AS dur_ns FROM host_total
  WHERE trace_id = :trace_id AND mark = 'kernel_launch' GROUP BY name)
SELECT
  (SELECT name FROM call ORDER BY count DESC, name LIMIT 1) AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  b.value AS count,
  (SELECT sum(dur_ns) FROM call) AS blocked_ns
FROM metric b
WHERE b.trace_id = :trace_id AND b.name = 'blocking_launch_count' AND b.step IS NULL
ORDER BY subject
