-- What a trace can show; a heuristic whose needs are not present does not apply.
CREATE VIEW capability AS
SELECT
	m.trace_id AS trace_id, -- trace.id
	substr(m.name, 5) AS name, -- host, device, launches, steps, gaudi, mme, ...: see docs/capabilities.md
	m.value AS present -- 1 or 0
FROM metric m
WHERE m.name GLOB 'has_*' AND m.device IS NULL AND m.step IS NULL;
