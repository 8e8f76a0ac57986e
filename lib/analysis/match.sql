-- What the ranks of a job have in common, and how long they wait for each other.

-- Compares what each rank does with the median rank of its job. Ranks may have recorded different
-- numbers of steps, so times are per step. Of the host, that is what its launching threads do
-- themselves (metrics host_*_own_ns), idle or not: work that is late for another reason leaves the
-- device idle, too, and is no reason itself. Waiting for the device or other ranks is no work.
-- Idle time is that of the device with most of it, where the host is to blame for it. Every rank
-- has a row for every part that any rank of the store has, so that medians cover all ranks.
INSERT INTO rank_time (trace_id, job_id, part, ns, median_ns)
WITH member AS (
	SELECT r.trace_id, r.job_id, max(coalesce(m.value, 1), 1) AS steps FROM job_rank r
	LEFT JOIN metric m ON m.trace_id = r.trace_id AND m.name = 'step_count'
		AND m.device IS NULL AND m.step IS NULL),
idle AS (
	SELECT trace_id, device, row_number() OVER (PARTITION BY trace_id
		ORDER BY sum(dur) DESC, device) AS place FROM gap_total GROUP BY 1, 2),
spent AS (
	SELECT trace_id, CASE name WHEN 'compute_busy_ns' THEN 'compute'
		WHEN 'copy_exclusive_ns' THEN 'copy' WHEN 'host_other_own_ns' THEN 'host_other'
		ELSE substr(name, 6, length(name) - 12) END AS part, value AS ns
	FROM metric WHERE name IN ('compute_busy_ns', 'copy_exclusive_ns',
		'host_dataloader_own_ns', 'host_compile_own_ns', 'host_cpu_fallback_own_ns',
		'host_input_copy_own_ns', 'host_output_copy_own_ns', 'host_setup_own_ns',
		'host_launch_own_ns', 'host_graph_build_own_ns', 'host_dispatch_own_ns',
		'host_other_own_ns')
		AND device IS NULL AND step IS NULL AND value > 0
	UNION ALL
	SELECT g.trace_id, 'idle', CAST(total(g.dur) AS INTEGER) FROM gap_total g
	JOIN idle i ON i.trace_id = g.trace_id AND i.device = g.device AND i.place = 1
	WHERE g.cause NOT IN ('collective', 'sync', 'no_work', 'queued', 'unknown', 'unrecorded')
	GROUP BY 1),
part AS (SELECT DISTINCT part FROM spent),
per_step AS (
	SELECT m.trace_id, m.job_id, p.part, CAST(coalesce(s.ns, 0) / m.steps AS INTEGER) AS ns
	FROM member m CROSS JOIN part p
	LEFT JOIN spent s ON s.trace_id = m.trace_id AND s.part = p.part),
placed AS (
	SELECT *, row_number() OVER same AS place, count(*) OVER (PARTITION BY job_id, part)
		AS places FROM per_step WINDOW same AS (PARTITION BY job_id, part ORDER BY ns, trace_id))
SELECT trace_id, job_id, part, ns, max(iif(place = (places + 1) / 2, ns, NULL))
	OVER (PARTITION BY job_id, part) FROM placed ORDER BY trace_id, part;

-- Device work of the jobs that can hide collectives, and the collectives. Every slice is looked at, so those of the host
-- are left out before more is asked of them, and of the work no more is kept than times.
CREATE TEMP TABLE rank_work AS
SELECT s.id AS slice_id, w.trace_id, s.ts, s.dur, w.engine = 'nic' AS by_lane,
	w.engine IN ('communication', 'nic') AS is_collective
FROM slice_row s CROSS JOIN lane_label w ON w.track_id = s.track_id AND w.label_id = s.label_id
WHERE s.dur >= 0 AND w.engine IN ('communication', 'nic', 'compute', 'mme', 'tpc')
	AND s.track_id IN (
		SELECT t.id FROM track t JOIN job_rank r ON r.trace_id = t.trace_id WHERE t.device IS NOT NULL);

-- Matches a collective on the ranks: by its number if it has one, else by its position among those
-- of its name and group, counted from the last. If ranks have different numbers of them, the
-- position within a step decides, because recordings begin at different times and may lose some.
INSERT INTO collective (slice_id, trace_id, job_id, device, lane, name, group_name,
	group_size, step, number, ts, dur, kind)
WITH named AS (
	SELECT w.*, o.device, o.lane, o.name, o.args
	FROM temp.rank_work w JOIN device_op o ON o.id = w.slice_id
	WHERE w.is_collective),
described AS (
	SELECT w.*, r.job_id, r.world_size,
		json_extract(args, '$."Collective name"') AS kind,
		json_extract(args, '$."Process Group Name"') AS group_name,
		json_extract(args, '$."Process Group Ranks"') AS group_ranks,
		tc_integer(json_extract(args, '$."Group size"')) AS group_size,
		tc_integer(json_extract(args, '$."Seq"')) AS seq,
		(SELECT s.number FROM device_link d JOIN step s ON s.id = d.step_id
			WHERE d.last_slice_id >= w.slice_id AND d.method != 'time' AND d.first_slice_id =
				(SELECT max(f.first_slice_id) FROM device_link f
					WHERE f.first_slice_id <= w.slice_id)) AS step
	FROM named w JOIN job_rank r ON r.trace_id = w.trace_id),
grouped AS (
	SELECT slice_id, trace_id, job_id, device, CASE WHEN by_lane THEN lane END AS lane,
		coalesce(kind, name, '') AS name,
		nullif(coalesce(group_name, '') || coalesce(' ' || group_ranks, ''), '') AS group_name,
		coalesce(CASE WHEN typeof(group_size) = 'integer' AND group_size > 0
			THEN group_size END, world_size) AS group_size,
		CASE WHEN typeof(seq) = 'integer' THEN seq END AS seq,
		CASE WHEN typeof(seq) != 'integer' THEN step END AS step, ts, dur
	FROM described),
counted AS (
	SELECT *, count(*) OVER (PARTITION BY trace_id, group_name, name, lane) AS times
	FROM grouped),
placed AS (
	SELECT slice_id, trace_id, job_id, device, lane, name, group_name, group_size, seq, ts,
		dur, iif(min(times) OVER same = max(times) OVER same, NULL, step) AS step
	FROM counted WINDOW same AS (PARTITION BY job_id, group_name, name, lane))
SELECT slice_id, trace_id, job_id, device, lane, name, group_name, group_size, step,
	coalesce(seq, row_number() OVER (PARTITION BY trace_id, group_name, name, lane,
		seq IS NULL, step ORDER BY ts DESC, slice_id DESC) - 1), ts, dur, tc_collective(name)
FROM placed ORDER BY trace_id, ts, slice_id;

-- A collective is matched when each recorded rank of the group has it once and the collective lets
-- no rank leave early. Ranks that have different numbers of them in a step have lost some; then
-- positions mean nothing, except in the first step of a recording, which may have begun within it.
-- If ranks of a group are not recorded, its name must identify the group. Sums here and below use
-- total(), which saturates where sum() fails (base times come from the file and may be anything)
-- and is exact below 2^53 ns, 104 days.
CREATE TEMP TABLE rank_match AS
WITH counted AS (
	SELECT job_id, group_name, name, lane, step, trace_id, count(*) AS times FROM collective
	GROUP BY 1, 2, 3, 4, 5, 6),
start AS (
	SELECT job_id, max(step) AS step FROM
		(SELECT job_id, min(step) AS step FROM collective GROUP BY job_id, trace_id) GROUP BY 1),
even AS (
	SELECT c.job_id, c.group_name, c.name, c.lane, c.step FROM counted c
	JOIN start s ON s.job_id = c.job_id GROUP BY 1, 2, 3, 4, 5
	HAVING min(c.times) = max(c.times) OR c.step IS NULL OR c.step <= s.step),
present AS (
	SELECT job_id, group_name, name, lane, count(DISTINCT trace_id) AS ranks FROM counted
	GROUP BY 1, 2, 3, 4)
SELECT c.job_id, c.group_name, c.name, c.lane, c.step, c.number,
	min(c.dur) AS shortest_ns, count(*) AS ranks, min(c.slice_id) AS match_id,
	count(*) = max(c.group_size) AS is_whole,
	CAST(total((c.ts + coalesce(t.base_time_ns, 0) - j.epoch_ns) + c.dur) / count(*)
		AS INTEGER) AS end_ns
FROM collective c JOIN trace t ON t.id = c.trace_id
JOIN (SELECT r.job_id, r.world_size, min(coalesce(x.base_time_ns, 0) + x.start_ns)
		AS epoch_ns
	FROM job_rank r JOIN trace x ON x.id = r.trace_id GROUP BY 1) j ON j.job_id = c.job_id
JOIN even e ON e.job_id = c.job_id AND e.group_name IS c.group_name AND e.name = c.name
	AND e.lane IS c.lane AND e.step IS c.step
JOIN present p ON p.job_id = c.job_id AND p.group_name IS c.group_name AND p.name = c.name
	AND p.lane IS c.lane
WHERE lower(c.name) NOT IN ('send', 'recv')
	AND coalesce(c.kind, '') NOT IN ('broadcast', 'reduce', 'gather', 'scatter')
GROUP BY 1, 2, 3, 4, 5, 6
HAVING count(*) > 1 AND count(*) = max(p.ranks) AND count(DISTINCT c.trace_id) = count(*)
	AND (count(*) = max(c.group_size) OR (count(*) < max(c.group_size)
		AND (max(c.group_size) = max(j.world_size) OR instr(c.group_name, '[') > 0)));

CREATE INDEX temp.rank_match_by_name ON rank_match(job_id, name, number, step, group_name, lane);

UPDATE collective SET match_id = m.match_id, rank_count = m.ranks,
early_ns = collective.dur - m.shortest_ns,
wait_ns = iif(m.is_whole, collective.dur - m.shortest_ns, NULL),
exposed_wait_ns = iif(m.is_whole, 0, NULL),
end_offset_ns = CAST(collective.ts + (SELECT coalesce(t.base_time_ns, 0) FROM trace t
	WHERE t.id = collective.trace_id) - (SELECT min(coalesce(x.base_time_ns, 0) + x.start_ns)
	FROM job_rank r JOIN trace x ON x.id = r.trace_id WHERE r.job_id = collective.job_id)
	+ collective.dur - m.end_ns AS INTEGER)
FROM temp.rank_match m WHERE m.job_id = collective.job_id AND m.name = collective.name
AND m.number = collective.number AND m.step IS collective.step
AND m.group_name IS collective.group_name AND m.lane IS collective.lane;

-- The offset of a rank's clock is the median of its ends' offsets.
UPDATE job_rank SET clock_offset_ns = (SELECT end_offset_ns FROM (
	SELECT end_offset_ns, row_number() OVER (ORDER BY end_offset_ns) AS place,
		count(*) OVER () AS places FROM collective c
	WHERE c.trace_id = job_rank.trace_id AND c.match_id IS NOT NULL)
WHERE place = (places + 1) / 2);
