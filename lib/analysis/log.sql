-- What the tallies show to be wrong with a trace, ?1.

-- Reports sums that saturated at the largest int64, which is 292 years: no real run has such
-- durations.
INSERT INTO import_log (trace_id, kind, severity, count, message)
SELECT ?1, 'sum_limit', 'error', count(*), printf('%d sums of durations reach 2^63 - 1 ns and stop there, the first that of %s', count(*), quote(min(name)))
FROM (SELECT name FROM op_total WHERE trace_id = ?1 AND dur_ns = 9223372036854775807
	UNION ALL SELECT name FROM host_total WHERE trace_id = ?1
	AND dur_ns = 9223372036854775807)
HAVING count(*) > 0;

INSERT INTO import_log (trace_id, kind, severity, count, message)
SELECT c.trace_id, 'launched_before', 'info', c.value, printf('%d of %d device operations (%.3f ms of device time) were launched before the recording began: they belong to no step, and the idle time before them has no cause on the host',
	c.value, a.value, t.value / 1e6)
FROM metric c JOIN metric t ON t.trace_id = c.trace_id AND t.name = 'launched_before_ns'
	AND t.device IS NULL AND t.step IS NULL
JOIN metric a ON a.trace_id = c.trace_id AND a.name = 'device_op_count'
	AND a.device IS NULL AND a.step IS NULL
WHERE c.trace_id = ?1 AND c.name = 'launched_before_count' AND c.device IS NULL
	AND c.step IS NULL AND c.value > 0;

INSERT INTO import_log (trace_id, kind, severity, count, message)
SELECT g.trace_id, 'graph_holes', 'error', count(*), printf('%d times of 10 us or more (%.3f ms together) within single launches of a graph have no operation: operations are missing in the trace, so this is no idle time; what it is, is not known',
	count(*), total(g.gap_dur) / 1e6)
FROM (SELECT 1 FROM gap_total WHERE trace_id = ?1 AND cause = 'unrecorded' LIMIT 1)
CROSS JOIN gap g WHERE g.trace_id = ?1 AND g.is_hole HAVING count(*) > 0;

INSERT INTO import_log (trace_id, kind, severity, count, message)
SELECT trace_id, 'missing_operations', 'error', value, printf('many operations are missing from this recording: about 1 of %d is in the file, by the numbers that the profiler gave them (Ev Idx, External id, correlation)', value) FROM metric
WHERE trace_id = ?1 AND name = 'recorded_one_of_count' AND step IS NULL AND value > 1;
