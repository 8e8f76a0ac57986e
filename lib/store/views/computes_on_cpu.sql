-- Traces of programs that compute on the CPU: operators of a framework, but no device work, no name of a device, no
-- call of a device's runtime, no memory of a device and no operator of a library for devices, in a file that was read to its
-- end.
CREATE VIEW computes_on_cpu AS
SELECT
	t.id AS trace_id -- trace.id
FROM trace t
WHERE t.device_name IS NULL AND t.vendor IS NULL
	AND NOT EXISTS (SELECT 1 FROM metric m WHERE m.trace_id = t.id AND m.name IN ('has_device', 'has_bridge') AND m.step IS NULL AND m.value = 1)
	AND NOT EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id AND h.role IN ('launch', 'sync', 'setup', 'graph_build', 'compile'))
	AND NOT EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id AND h.mark = 'device_library')
	AND NOT EXISTS (SELECT 1 FROM memory_sample m WHERE m.trace_id = t.id AND m.device_type <> 0)
	AND EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id AND h.role = 'dispatch')
	AND NOT EXISTS (SELECT 1 FROM import_log l WHERE l.trace_id = t.id AND l.kind IN ('truncated', 'starts_midway', 'source_cut'));
