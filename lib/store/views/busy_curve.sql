-- How busy each device is over time: its work from the first start to the last end, in 20 parts of equal length. Goes through
-- all device operations.
CREATE VIEW busy_curve AS
WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 19),
work AS (
	SELECT trace_id, device, ts, ts + dur AS to_ns, engine FROM device_op WHERE dur > 0),
kind AS (
	SELECT trace_id, device, ts, to_ns, 'busy' AS what FROM work WHERE engine <> 'nic' AND engine <> 'other'
	UNION ALL
	SELECT trace_id, device, ts, to_ns, 'compute' FROM work WHERE engine IN ('compute', 'mme', 'tpc')),
begun AS (
	SELECT *, ts > coalesce(max(to_ns) OVER (PARTITION BY trace_id, device, what ORDER BY ts, to_ns
		ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), ts - 1) AS begins FROM kind),
numbered AS (
	SELECT *, sum(begins) OVER (PARTITION BY trace_id, device, what ORDER BY ts, to_ns
		ROWS UNBOUNDED PRECEDING) AS number FROM begun),
stretch AS (
	SELECT trace_id, device, what, min(ts) AS from_ns, max(to_ns) AS to_ns FROM numbered
	GROUP BY trace_id, device, what, number),
span AS (
	SELECT trace_id, device, min(from_ns) AS from_ns, max(to_ns) AS to_ns FROM stretch GROUP BY 1, 2),
part AS (
	SELECT s.trace_id, s.device, n.n, s.from_ns + (s.to_ns - s.from_ns) / 20 * n.n AS from_ns,
		iif(n.n = 19, s.to_ns, s.from_ns + (s.to_ns - s.from_ns) / 20 * (n.n + 1)) AS to_ns
	FROM span s JOIN number n)
SELECT
	p.trace_id AS trace_id, -- trace.id
	p.device AS device, -- device, as in device_op.device
	p.n AS part, -- number of the part, from 0
	p.from_ns AS ts, -- ns: its start
	p.to_ns - p.from_ns AS dur, -- ns
	CAST(total(iif(s.what = 'busy', min(s.to_ns, p.to_ns) - max(s.from_ns, p.from_ns), 0)) AS INTEGER) AS busy_ns, -- ns: of it the device works: kernels, copies and sets, as in device_busy_ns
	CAST(total(iif(s.what = 'compute', min(s.to_ns, p.to_ns) - max(s.from_ns, p.from_ns), 0)) AS INTEGER) AS compute_ns -- ns: of it the device computes, as in compute_busy_ns
FROM part p
LEFT JOIN stretch s ON s.trace_id = p.trace_id AND s.device = p.device AND s.from_ns < p.to_ns AND s.to_ns > p.from_ns
GROUP BY p.trace_id, p.device, p.n;
