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
	max(p.ns) OVER steps AS max_ns -- ns: the longest
FROM (
	SELECT trace_id, ns, count(*) OVER (PARTITION BY trace_id) AS step_count
	FROM step_time
	WHERE NOT is_warm_up) p
WINDOW steps AS (PARTITION BY p.trace_id ORDER BY p.ns ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
