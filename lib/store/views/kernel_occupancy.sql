-- Occupancy of the kernels of one name, as the profiler estimates it from the launch. Means are weighted with
-- the durations. Scans the device operations.
CREATE VIEW kernel_occupancy AS
SELECT
	k.trace_id AS trace_id, -- trace.id
	k.device AS device, -- as in device_op
	l.name AS name, -- kernel
	l.class AS class, -- label.class
	CASE WHEN l.class IS NULL THEN NULL WHEN l.class NOT IN ('matrix', 'convolution', 'attention') THEN 0 WHEN l.precision IN ('fp16', 'bf16', 'tf32', 'fp8', 'fp4', 'int8') THEN 1
		WHEN l.precision = 'fp32' AND l.class <> 'attention' THEN 0 END AS uses_tensor_cores, -- 1 where name and precision say that it computes on tensor or matrix cores; NULL when they do not say
	k.count AS count, -- kernels
	CAST(k.dur_ns AS INTEGER) AS dur_ns, -- ns: sum of their durations
	CAST(k.known_ns AS INTEGER) AS known_ns, -- ns: part of it for which the profiler gives blocks per SM
	k.occupancy_ns / nullif(k.occupancy_known_ns, 0) AS occupancy_pct, -- pct: estimated achieved occupancy; NULL when not known: not recorded, or 0 though each SM has a warp
	100.0 * k.efficient_ns / nullif(k.known_ns, 0) AS sm_efficiency_pct, -- pct: share of the SMs that have a block, as torch_tb_profiler estimates it: blocks per SM, at most 1
	k.blocks_ns / nullif(k.known_ns, 0) AS blocks_per_sm, -- blocks of a launch for each SM
	k.warps_ns / nullif(k.known_ns, 0) AS warps_per_sm -- warps of a launch for each SM
FROM (
	SELECT g.trace_id, g.device, g.label_id, sum(g.count) AS count, total(g.dur_ns) AS dur_ns,
		total(iif(g.blocks IS NULL, 0, g.dur_ns)) AS known_ns, total(g.dur_ns * min(g.blocks, 1.0)) AS efficient_ns,
		total(g.dur_ns * g.blocks) AS blocks_ns, total(g.dur_ns * g.warps) AS warps_ns,
		total(g.dur_ns * g.occupancy) AS occupancy_ns, total(iif(g.occupancy IS NULL, 0, g.dur_ns)) AS occupancy_known_ns
	FROM (SELECT w.trace_id, w.device, w.label_id, w.count, w.dur_ns, w.blocks, w.warps, iif(w.occupancy = 0 AND w.warps >= 1, NULL, w.occupancy) AS occupancy FROM (
		SELECT f.trace_id, f.device, f.label_id, f.count, f.dur_ns,
			max(iif(j.key = 'blocks per SM', CAST(j.value AS REAL), NULL)) AS blocks,
			max(iif(j.key = 'warps per SM', CAST(j.value AS REAL), NULL)) AS warps,
			max(iif(j.key = 'est. achieved occupancy %', CAST(j.value AS REAL), NULL)) AS occupancy
		FROM (
			SELECT t.trace_id, t.device, s.label_id, min(s.id) AS slice_id, count(*) AS count, total(s.dur) AS dur_ns
			FROM slice_row s
			JOIN track t ON t.id = s.track_id AND t.device IS NOT NULL
			JOIN label n ON n.id = s.label_id AND n.kind = 'kernel'
			WHERE s.dur >= 0
			GROUP BY t.trace_id, t.device, s.label_id, s.args) f
		JOIN slice_args a ON a.slice_id = f.slice_id
		LEFT JOIN json_each(a.args) j ON j.type IN ('integer', 'real') OR (j.type = 'text' AND trim(j.value, '0123456789.') = '')
		GROUP BY f.trace_id, f.device, f.label_id, f.slice_id) w) g
	GROUP BY g.trace_id, g.device, g.label_id) k
JOIN label l ON l.id = k.label_id
WHERE k.known_ns > 0 OR k.occupancy_known_ns > 0;
