-- Clocks of what computes (table core_clock). Only traces with such a counter get further than the first statement. Of two
-- samples at one time the later one holds. The counters of this trace are the latest rows, its slices are those from ?2 on.
CREATE TEMP TABLE core_sample AS
SELECT s.ts, s.process_id, s.name, s.mhz FROM (
	SELECT ts, process_id, name, max(id), CASE WHEN value >= 1e8 THEN value / 1e6
		WHEN value >= 1e5 THEN value / 1e3 ELSE value END AS mhz
	FROM counter WHERE id > coalesce((SELECT id FROM counter WHERE trace_id <> ?1
		ORDER BY id DESC LIMIT 1), -1) AND value > 0 AND tc_is_core_clock(name)
	GROUP BY ts, process_id, name) s;

-- When each device computes: where no earlier work reaches to, a stretch begins. Without the types of its times the index
-- would not serve their comparison with those of samples.
CREATE TEMP TABLE core_busy AS
WITH work AS (
	SELECT device, ts, ts + dur AS to_ns FROM device_op
	WHERE EXISTS (SELECT 1 FROM temp.core_sample) AND id >= ?2 AND trace_id = ?1 AND dur > 0
		AND engine IN ('compute', 'mme', 'tpc')),
begun AS (
	SELECT *, ts > coalesce(max(to_ns) OVER (PARTITION BY device ORDER BY ts, to_ns
		ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), ts - 1) AS begins FROM work),
numbered AS (
	SELECT *, sum(begins) OVER (PARTITION BY device ORDER BY ts, to_ns
		ROWS UNBOUNDED PRECEDING) AS number FROM begun)
SELECT device, CAST(min(ts) AS INTEGER) AS from_ns, CAST(max(to_ns) AS INTEGER) AS to_ns
FROM numbered GROUP BY device, number;
CREATE INDEX temp.core_busy_by_time ON core_busy(device, from_ns);

-- Series in the process of a device are its own. Counters elsewhere are those of the only device, unless their process
-- has a number as devices of a node do. Of several series nothing tells which one is the device's.
INSERT INTO core_clock (trace_id, device, counter, ts, dur, mhz, busy_ns)
WITH device AS (
	SELECT device, count(*) OVER () AS devices FROM temp.core_busy GROUP BY device),
series AS (
	SELECT d.device, s.process_id, s.name, d.device = CAST(p.pid AS TEXT) AS is_own
	FROM (SELECT DISTINCT process_id, name FROM temp.core_sample) s
	JOIN process p ON p.id = s.process_id
	JOIN device d ON d.device = CAST(p.pid AS TEXT)
		OR d.devices = 1 AND coalesce(tc_integer(p.pid), -1) NOT BETWEEN 0 AND 63),
chosen AS (
	SELECT device, process_id, name FROM (
		SELECT *, max(is_own) OVER (PARTITION BY device) AS has_own,
			count(*) OVER (PARTITION BY device, is_own) AS choices FROM series)
	WHERE is_own = has_own AND choices = 1),
held AS (
	SELECT c.device, s.name, s.ts, s.mhz, coalesce(lead(s.ts) OVER (
		PARTITION BY c.device ORDER BY s.ts), max(t.end_ns, s.ts)) AS to_ns
	FROM chosen c JOIN temp.core_sample s ON s.process_id = c.process_id AND s.name = c.name
	JOIN trace t ON t.id = ?1)
SELECT ?1, h.device, h.name, h.ts, h.to_ns - h.ts, h.mhz, coalesce((
	SELECT sum(min(b.to_ns, h.to_ns) - max(b.from_ns, h.ts)) FROM temp.core_busy b
	WHERE b.device = h.device AND b.from_ns < h.to_ns AND b.to_ns > h.ts AND b.from_ns >= coalesce((
		SELECT max(f.from_ns) FROM temp.core_busy f
		WHERE f.device = h.device AND f.from_ns <= h.ts), h.ts)), 0)
FROM held h ORDER BY 2, 3, 4;

DROP TABLE temp.core_busy;
DROP TABLE temp.core_sample;
