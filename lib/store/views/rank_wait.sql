-- How long the collectives of a device wait for another rank while it computes nothing (collective_wait). One row per
-- device on which collectives wait.
CREATE VIEW rank_wait AS
SELECT
	c.trace_id AS trace_id, -- trace.id
	c.device AS device, -- device, as in device_op.device
	sum(c.wait_ns) AS wait_ns, -- ns
	sum(c.is_guessed) AS guessed_count, -- collectives of which that is guessed by their bytes
	max(c.dur) AS longest_ns, -- ns: duration of the longest of these collectives
	c.bytes AS longest_bytes -- what that one is about, as in communication.bytes; NULL when not recorded
FROM collective_wait c
WHERE c.wait_ns > 0
GROUP BY c.trace_id, c.device;
