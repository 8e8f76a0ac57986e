-- How long steps other than warm-up are, by step_time.
CREATE VIEW step_spread AS
SELECT DISTINCT
	p.trace_id AS trace_id, -- trace.id
	p.step_count AS steps, -- steps other than warm-up
	sum(p.ns) OVER steps AS sum_ns, -- ns: all of them together
	min(p.ns) OVER steps AS min_ns, -- ns: the shortest
	nth_value(p.ns, (p.step_count + 3) / 4) OVER steps AS lower_quartile_ns, -- ns: first quartile, by nearest rank
	nth_value(p.ns, (p.step_count + 1) / 2) OVER steps AS median_ns, -- ns: the median, by nearest rank
	nth_value(p.ns, (3 * p.step_count + 3) / 4) OVER steps AS upper_quartile_ns, -- ns: third quartile, by nearest rank
	max(p.ns) OVER steps AS max_ns, -- ns: the longest
	iif(p.has_warm_up, NULL, p.first_ns) AS first_ns -- ns: the first step; NULL where that is warm-up
FROM (
	SELECT trace_id, ns, count(*) OVER (PARTITION BY trace_id) AS step_count, first_ns, has_warm_up
	FROM (SELECT trace_id, ns, is_warm_up, first_value(ns) OVER steps AS first_ns, first_value(is_warm_up) OVER steps AS has_warm_up
		FROM step_time WINDOW steps AS (PARTITION BY trace_id ORDER BY ts, step_id))
	WHERE NOT is_warm_up) p
WINDOW steps AS (PARTITION BY p.trace_id ORDER BY p.ns ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
