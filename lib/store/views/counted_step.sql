-- The steps that count: those of step but a last one in which nothing is launched.
CREATE VIEW counted_step AS
SELECT
	s.id AS id, -- step.id
	s.trace_id AS trace_id, -- trace.id
	s.number AS number, -- step.number
	s.name AS name, -- step.name
	s.ts AS ts, -- ns: step.ts
	s.dur AS dur, -- ns: step.dur
	s.slice_id AS slice_id, -- slice.id
	s.device_ts AS device_ts, -- ns: step.device_ts
	s.device_dur AS device_dur, -- ns: step.device_dur
	s.is_warm_up AS is_warm_up -- step.is_warm_up
FROM step s
WHERE NOT s.is_unused;
