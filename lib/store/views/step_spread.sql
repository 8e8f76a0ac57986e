-- How long steps other than warm-up are, one behind the other: each ends when its host slice and the
-- work that it launched have ended, and begins where the one before ended. So they add up to the
-- analysed wall time, and a host that runs ahead of its device does not make them look short.
CREATE VIEW step_spread AS
SELECT
	p.trace_id AS trace_id, -- trace.id
	count(*) AS steps, -- steps other than warm-up
	sum(p.ns) AS sum_ns, -- ns: all of them together
	min(p.ns) AS min_ns, -- ns: the shortest
	max(iif(p.place = (p.n + 3) / 4, p.ns, NULL)) AS q1_ns, -- ns: first quartile, by nearest rank
	max(iif(p.place = (p.n + 1) / 2, p.ns, NULL)) AS median_ns, -- ns: the median, by nearest rank
	max(iif(p.place = (3 * p.n + 3) / 4, p.ns, NULL)) AS q3_ns, -- ns: third quartile, by nearest rank
	max(p.ns) AS max_ns -- ns: the longest
FROM (
	SELECT s.trace_id, s.ns, row_number() OVER (PARTITION BY s.trace_id ORDER BY s.ns) AS place,
		count(*) OVER (PARTITION BY s.trace_id) AS n
	FROM (
		SELECT u.trace_id, u.is_warm_up, u.until - coalesce(
			lag(u.until) OVER (PARTITION BY u.trace_id ORDER BY u.ts, u.id), u.ts) AS ns
		FROM (
			SELECT trace_id, id, ts, is_warm_up, max(max(ts + dur,
				coalesce(device_ts + device_dur, ts + dur)))
				OVER (PARTITION BY trace_id ORDER BY ts, id) AS until
			FROM step) u) s
	WHERE NOT s.is_warm_up) p
GROUP BY p.trace_id;
