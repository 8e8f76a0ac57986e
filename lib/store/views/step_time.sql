-- How long steps are, one behind the other: each ends when its host slice and the work that it launched have
-- ended, and begins where the one before ended. So they add up to the analysed wall time, and a host that
-- runs ahead of its device does not make them look short. The first step of a part that was cut by steps begins when
-- devices have done what the steps before it had launched.
CREATE VIEW step_time AS
SELECT
	s.trace_id AS trace_id, -- trace.id
	s.id AS step_id, -- step.id
	s.number AS number, -- step.number
	s.ts AS ts, -- ns: step.ts
	s.is_warm_up AS is_warm_up, -- step.is_warm_up
	s.until - coalesce(lag(s.until) OVER (PARTITION BY s.trace_id ORDER BY s.ts, s.id), s.ts + coalesce((SELECT m.value FROM metric m
		WHERE m.trace_id = s.trace_id AND m.name = 'queued_before_ns' AND m.device IS NULL AND m.step IS NULL), 0)) AS ns -- ns: its time
FROM (
	SELECT trace_id, id, number, ts, is_warm_up, max(max(ts + dur,
		coalesce(device_ts + device_dur, ts + dur)))
		OVER (PARTITION BY trace_id ORDER BY ts, id) AS until
	FROM counted_step) s;
