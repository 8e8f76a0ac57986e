-- Which host call launched a collective, where each lane has whole collectives.
CREATE VIEW communication_launch AS
SELECT c.slice_id AS slice_id, -- communication.slice_id
	c.trace_id AS trace_id, -- trace.id
	c.device AS device, -- device of the collective
	c.lane AS lane, -- name of its lane
	c.kind AS kind, -- all_reduce, all_gather, ...
	(SELECT d.launch_slice_id FROM device_link d WHERE d.first_slice_id <= c.slice_id
		ORDER BY d.first_slice_id DESC LIMIT 1) AS launch_slice_id -- slice.id of the launching host slice; NULL when not known
FROM communication c
WHERE c.device IS NOT NULL AND NOT c.by_lane;
