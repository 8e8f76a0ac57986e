-- What each rank of a job does longer than the median rank, the first of rank_time: why it is late. The host delays the
-- device by no more than the device is idle beyond the median rank. Where no work of the host accounts for half of that
-- (our default, no published source), idle time as such is the cause: what the host does then was not recorded.
CREATE VIEW late_cause AS
SELECT
	x.trace_id AS trace_id, -- trace.id
	x.part AS part, -- rank_time.part
	CASE x.part WHEN 'compute' THEN 'its device computes longer' WHEN 'copy' THEN 'its device copies longer'
		WHEN 'idle' THEN 'its device waits longer for the host' ELSE x.part END AS words, -- what comes behind "late because": words on the device, or a cause of idle time, for which reports have words
	x.ns AS ns, -- rank_time.ns
	x.median_ns AS median_ns -- rank_time.median_ns
FROM (
	SELECT r.trace_id, r.part, r.ns, r.median_ns,
		row_number() OVER (PARTITION BY r.trace_id ORDER BY CASE
			WHEN r.part IN ('compute', 'copy') THEN r.ns - r.median_ns
			WHEN r.part = 'idle' THEN (r.ns - r.median_ns) / 2
			ELSE min(r.ns - r.median_ns, coalesce(i.ns - i.median_ns, 0)) END DESC, r.part) AS place
	FROM rank_time r
	LEFT JOIN rank_time i ON i.trace_id = r.trace_id AND i.part = 'idle'
	WHERE r.ns > r.median_ns AND (r.part IN ('compute', 'copy') OR i.ns > i.median_ns)) x
WHERE x.place = 1;
