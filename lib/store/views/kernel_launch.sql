-- How the kernels of op_kernel were launched, as the profiler recorded it of the first of each.
CREATE VIEW kernel_launch AS
WITH core AS (
	SELECT t.id AS trace_id, max(coalesce((SELECT max(CAST(j.value AS INTEGER)) FROM trace_meta e JOIN json_each(e.value, '$[0]') j ON j.key = 'numSms' WHERE e.trace_id = t.id AND e.key = 'deviceProperties'),
			(SELECT max(p.core_count) FROM device_peak p WHERE p.trace_id = t.id))) AS count
	FROM trace t GROUP BY t.id) -- grouped, so that SQLite reads one trace, and reads it once
SELECT
	k.rowid AS kernel_id, -- rowid of op_kernel_row
	k.trace_id AS trace_id, -- trace.id
	coalesce(k.capture_id, k.node_id) AS node_id, -- op_tree.id of the launching call, or of the captured one
	k.dur_ns AS dur_ns, -- ns: sum of the durations of all of them
	k.count AS count, -- operations
	l.name AS name, -- device operation
	l.class AS class, -- label.class
	coalesce((SELECT CAST(j.value AS REAL) FROM json_each(a.args) j WHERE j.key = 'blocks per SM'),
		(SELECT nullif(1.0 * max(iif(j.key = 0, j.value, 0)) * max(iif(j.key = 1, j.value, 0)) * max(iif(j.key = 2, j.value, 0)), 0) / c.count FROM json_each(a.args, '$.grid') j),
		-- roctracer has it with the call; this one counts threads
		(SELECT (SELECT nullif(1.0 * max(iif(j.key = 0, j.value, 0)) * max(iif(j.key = 1, j.value, 0)) * max(iif(j.key = 2, j.value, 0)), 0) FROM json_each(h.args, '$."grid dim"') j) / c.count /
			iif(n.name = 'hipExtModuleLaunchKernel', (SELECT nullif(1.0 * max(iif(j.key = 0, j.value, 0)) * max(iif(j.key = 1, j.value, 0)) * max(iif(j.key = 2, j.value, 0)), 0) FROM json_each(h.args, '$."block dim"') j), 1)
		FROM slice_row s JOIN slice_args h ON h.slice_id = s.id JOIN label n ON n.id = s.label_id
		WHERE s.id = (SELECT iif(k.slice_id <= d.last_slice_id, d.launch_slice_id, NULL) FROM device_link d WHERE d.first_slice_id <= k.slice_id ORDER BY d.first_slice_id DESC LIMIT 1))) AS core_blocks, -- blocks of a launch for each core of the device; NULL when not known
	(SELECT CAST(j.value AS INTEGER) FROM json_each(a.args) j WHERE j.key = 'registers per thread') AS thread_registers, -- registers of a thread; NULL, as the next two, when not recorded
	(SELECT CAST(j.value AS INTEGER) FROM json_each(a.args) j WHERE j.key = 'shared memory') AS block_bytes, -- bytes of shared memory of a block
	(SELECT CAST(j.value AS REAL) FROM json_each(a.args) j WHERE j.key = 'est. achieved occupancy %' AND (CAST(j.value AS REAL) > 0 OR NOT EXISTS
		(SELECT 1 FROM json_each(a.args) w WHERE w.key = 'warps per SM' AND CAST(w.value AS REAL) >= 1))) AS occupancy_pct, -- pct: estimated achieved occupancy; NULL when not known: not recorded, or 0 though each SM has a warp
	c.count AS core_count -- of the first device, as the trace has it, else of its data sheet; NULL when not known
FROM op_kernel_row k
JOIN label l ON l.id = k.label_id AND l.kind = 'kernel' AND l.collective IS NULL
JOIN core c ON c.trace_id = k.trace_id
LEFT JOIN slice_args a ON a.slice_id = k.slice_id;
