-- How long steps other than warm-up are, one behind the other: each ends when its host slice and the
-- work that it launched have ended, and begins where the one before ended. So they add up to the
-- analysed wall time, and a host that runs ahead of its device does not make them look short.
CREATE VIEW step_spread AS
SELECT DISTINCT
	p.trace_id AS trace_id, -- trace.id
	p.step_count AS steps, -- steps other than warm-up
	sum(p.ns) OVER steps AS sum_ns, -- ns: all of them together
	min(p.ns) OVER steps AS min_ns, -- ns: the shortest
	nth_value(p.ns, (p.step_count + 3) / 4) OVER steps AS lower_quartile_ns, -- ns: first quartile, by nearest rank
	nth_value(p.ns, (p.step_count + 1) / 2) OVER steps AS median_ns, -- ns: the median, by nearest rank
	nth_value(p.ns, (3 * p.step_count + 3) / 4) OVER steps AS upper_quartile_ns, -- ns: third quartile, by nearest rank
	max(p.ns) OVER steps AS max_ns -- ns: the longest
FROM (
	SELECT s.trace_id, s.ns, count(*) OVER (PARTITION BY s.trace_id) AS step_count
	FROM (
		SELECT u.trace_id, u.is_warm_up, u.until - coalesce(
			lag(u.until) OVER (PARTITION BY u.trace_id ORDER BY u.ts, u.id), u.ts) AS ns
		FROM (
			SELECT trace_id, id, ts, is_warm_up, max(max(ts + dur,
				coalesce(device_ts + device_dur, ts + dur)))
				OVER (PARTITION BY trace_id ORDER BY ts, id) AS until
			FROM step) u) s
	WHERE NOT s.is_warm_up) p
WINDOW steps AS (PARTITION BY p.trace_id ORDER BY p.ns ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
