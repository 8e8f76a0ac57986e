-- Bytes are the larger of what a rank sends and what it receives. If the args of an operation lack
-- them, the inputs of the host range around the launch (NCCL before PyTorch 2.2) or of the call
-- itself (gloo) give what the rank sends. Work on a network port that no name explains is what its
-- call is for.
INSERT INTO communication (slice_id, trace_id, device, lane, by_lane, kind, name,
	group_name, group_size, data_type, bytes, ts, dur, exposed_ns)
WITH RECURSIVE operation AS (
	SELECT s.id, t.device, iif(t.device IS NULL, NULL, t.lane) AS lane,
		coalesce(t.engine, '') = 'nic' AS by_lane, l.collective, l.name, s.ts, s.dur,
		(SELECT a.args FROM slice_args a WHERE a.slice_id = s.id) AS args
	FROM slice_row s JOIN track t ON t.id = s.track_id JOIN label l ON l.id = s.label_id
	WHERE s.id = ?2),
read AS (
	SELECT *, json_extract(args, '$."Collective name"') AS told_name,
		json_extract(args, '$."Process Group Name"') AS group_name,
		json_extract(args, '$."Process Group Ranks"') AS group_ranks,
		tc_integer(json_extract(args, '$."Group size"')) AS group_size,
		json_extract(args, '$.dtype') AS data_type,
		tc_integer(json_extract(args, '$."In msg nelems"')) AS given,
		tc_integer(json_extract(args, '$."Out msg nelems"')) AS got FROM operation),
around(id, level) AS (
	SELECT coalesce((SELECT d.launch_slice_id FROM device_link d
		WHERE d.last_slice_id >= ?2 AND d.first_slice_id = (
			SELECT max(r.first_slice_id) FROM device_link r WHERE r.first_slice_id <= ?2)), ?2),
		0 FROM read WHERE told_name IS NULL AND (NOT by_lane OR collective IS NULL)
	UNION ALL SELECT n.parent_id, a.level + 1 FROM around a
		JOIN slice_nest n ON n.slice_id = a.id WHERE a.level < 8),
call AS (
	SELECT l.collective AS call_kind, iif(NOT by_lane AND l.collective IN ('all_reduce', 'reduce_scatter',
			'all_to_all', 'broadcast', 'reduce', 'send_recv'), tc_input_bytes((
			SELECT a.args FROM slice_args a WHERE a.slice_id = s.id)), NULL) AS call_bytes
	FROM read JOIN around u JOIN slice_row s ON s.id = u.id JOIN label l ON l.id = s.label_id
	WHERE (by_lane OR l.mark IN ('device_backend', 'host_backend')) AND l.collective IS NOT NULL
	ORDER BY u.level LIMIT 1)
SELECT id, ?1, device, lane, by_lane,
	coalesce(tc_collective(told_name), call_kind, collective, 'other'), name,
	nullif(coalesce(group_name, '') || coalesce(' ' || group_ranks, ''), ''),
	iif(typeof(group_size) = 'integer' AND group_size > 0, group_size, NULL),
	iif(typeof(data_type) = 'text', data_type, NULL),
	iif(typeof(given) = 'integer' AND typeof(got) = 'integer'
		AND max(given, got) BETWEEN 1 AND 1 << 56, max(given, got) * tc_type_bytes(data_type),
		call_bytes), ts, max(dur, 0), ?3 FROM read LEFT JOIN call
