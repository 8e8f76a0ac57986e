-- The waits of each rank together, when all are known.

-- The sums by rank.
UPDATE job_rank SET matched_count = s.matched, late_count = s.late, wait_ns = s.wait_ns,
exposed_wait_ns = s.exposed_ns, start_wait_ns = s.start_ns, apart_ns = s.apart_ns
FROM (SELECT c.trace_id, count(*) AS matched, sum(c.early_ns = 0) AS late,
		iif(count(c.wait_ns), CAST(total(c.wait_ns) AS INTEGER), NULL) AS wait_ns,
		iif(count(c.wait_ns), CAST(total(c.exposed_wait_ns) AS INTEGER), NULL) AS exposed_ns,
		iif(count(c.wait_ns), CAST(total(CASE WHEN c.ts = c.first_ts THEN c.exposed_wait_ns END)
			AS INTEGER), NULL) AS start_ns, CAST(total(max(c.end_offset_ns - j.clock_offset_ns,
				j.clock_offset_ns - c.end_offset_ns)) AS INTEGER) AS apart_ns
	FROM (SELECT *, min(ts) OVER (PARTITION BY trace_id) AS first_ts FROM collective
		WHERE match_id IS NOT NULL) c JOIN job_rank j ON j.trace_id = c.trace_id
	GROUP BY 1) s WHERE s.trace_id = job_rank.trace_id;

INSERT INTO metric (trace_id, name, device, step, value, unit)
SELECT trace_id, 'late_rank_wait_ns', NULL, NULL, exposed_wait_ns, 'ns'
FROM job_rank WHERE exposed_wait_ns IS NOT NULL ORDER BY trace_id;

DROP TABLE temp.rank_match;
DROP TABLE temp.rank_work;
