-- How much of a faster device shortens the run, for traces with three steps or more: a device that
-- becomes faster than its host only waits. Without recorded runtime calls waits are not visible, and
-- time under no call may be one. Launch calls above 10 us may be waiting for room in the queue.
CREATE VIEW host_slack AS
WITH run AS (
	SELECT m.trace_id,
		max(iif(m.name = 'wall_ns', m.value, 0)) AS wall_ns,
		max(iif(m.name = 'host_window_ns', m.value, 0)) AS host_ns,
		max(iif(m.name = 'device_busy_ns', m.value, 0)) AS busy_ns,
		max(iif(m.name = 'step_count', m.value, 0)) AS step_count,
		max(iif(m.name = 'host_launch_own_ns', m.value, 0)) AS launch_ns,
		max(iif(m.name = 'host_other_own_ns', m.value, 0)) AS other_ns,
		sum(iif(m.name IN ('host_sync_own_ns', 'host_output_copy_own_ns', 'host_input_copy_own_ns',
			'host_collective_own_ns'), m.value, 0)) AS blocked_ns
	FROM metric m
	WHERE m.device IS NULL AND m.step IS NULL
	GROUP BY m.trace_id)
SELECT
	r.trace_id AS trace_id, -- trace.id
	r.blocked_ns + max(r.launch_ns - (SELECT coalesce(sum(t.count), 0)
			FROM host_total t WHERE t.trace_id = r.trace_id AND t.role = 'launch') * 10000, 0)
		+ iif(r.launch_ns = 0, r.other_ns, 0) AS wait_ns, -- ns: host time in the steps that may be waiting for the device
	max(r.wall_ns - r.host_ns, 0) AS tail_ns, -- ns: device work after the end of the last step
	CAST((max(r.wall_ns - r.host_ns, 0) * 1.0 * r.step_count + r.busy_ns - 1) / r.busy_ns AS INTEGER) AS tail_step_count, -- steps whose work falls into it
	CAST(r.step_count AS INTEGER) AS step_count -- complete steps
FROM run r
WHERE r.step_count >= 3 AND r.busy_ns > 0;
