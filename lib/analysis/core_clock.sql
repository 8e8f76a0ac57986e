-- Clocks of what computes (table core_clock). Only traces with such a counter get further than the first statement. Of two
-- samples at one time the later one holds. The counters of this trace are the latest rows.
CREATE TEMP TABLE core_sample AS
SELECT s.ts, s.process_id, s.name, s.mhz FROM (
	SELECT ts, process_id, name, max(id), CASE WHEN value >= 1e8 THEN value / 1e6
		WHEN value >= 1e5 THEN value / 1e3 ELSE value END AS mhz
	FROM counter WHERE id > coalesce((SELECT id FROM counter WHERE trace_id <> ?1
		ORDER BY id DESC LIMIT 1), -1) AND value > 0 AND tc_is_core_clock(name)
	GROUP BY ts, process_id, name) s;

-- When each device computes: where no earlier work reaches to, a stretch begins.
CREATE TEMP TABLE core_busy AS
WITH work AS (
	SELECT t.device, s.ts, s.ts + s.dur AS to_ns
	FROM slice_row s JOIN track t ON t.id = s.track_id JOIN label l ON l.id = s.label_id
	WHERE EXISTS (SELECT 1 FROM temp.core_sample) AND t.trace_id = ?1 AND t.device IS NOT NULL
		AND s.dur > 0 AND coalesce(iif(t.engine = 'compute', l.task_engine, NULL), t.engine,
			l.engine) IN ('compute', 'mme', 'tpc')),
begun AS (
	SELECT *, ts > coalesce(max(to_ns) OVER (PARTITION BY device ORDER BY ts, to_ns
		ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), ts - 1) AS begins FROM work),
numbered AS (
	SELECT *, sum(begins) OVER (PARTITION BY device ORDER BY ts, to_ns
		ROWS UNBOUNDED PRECEDING) AS number FROM begun)
SELECT device, min(ts) AS from_ns, max(to_ns) AS to_ns FROM numbered GROUP BY device, number;
CREATE INDEX temp.core_busy_by_time ON core_busy(device, from_ns);

INSERT INTO core_clock (trace_id, device, counter, ts, dur, mhz, busy_ns)
WITH device AS (
	SELECT device, count(*) OVER () AS devices FROM temp.core_busy GROUP BY device),
held AS (
	SELECT d.device, s.name, s.ts, s.mhz, coalesce(lead(s.ts) OVER (
		PARTITION BY d.device, s.process_id, s.name ORDER BY s.ts), max(t.end_ns, s.ts)) AS to_ns,
		dense_rank() OVER (PARTITION BY d.device ORDER BY s.name, s.process_id) AS series
	FROM temp.core_sample s JOIN process p ON p.id = s.process_id
	JOIN trace t ON t.id = ?1
	JOIN device d ON d.devices = 1 OR d.device = CAST(p.pid AS TEXT))
SELECT ?1, h.device, h.name, h.ts, h.to_ns - h.ts, h.mhz, coalesce((
	SELECT sum(min(b.to_ns, h.to_ns) - max(b.from_ns, h.ts)) FROM temp.core_busy b
	WHERE b.device = h.device AND b.from_ns < h.to_ns AND b.to_ns > h.ts AND b.from_ns >= coalesce((
		SELECT max(f.from_ns) FROM temp.core_busy f
		WHERE f.device = h.device AND f.from_ns <= h.ts), h.ts)), 0)
FROM held h WHERE h.series = 1 ORDER BY 2, 3, 4;

DROP TABLE temp.core_busy;
DROP TABLE temp.core_sample;
