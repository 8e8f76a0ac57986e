-- How long each collective waits for another rank while its device computes nothing. Where the ranks of a job are in the
-- store, that is known. Elsewhere it is the time beyond what the bytes can take: 100 us to start, and 20 ns for each byte. An
-- all-reduce sends its bytes about twice, so that is 100 MB/s, Gigabit Ethernet, which is slower than any link between ranks
-- in use (our default, no published source).
CREATE VIEW collective_wait AS
SELECT
	c.trace_id AS trace_id, -- trace.id
	c.device AS device, -- device, as in device_op.device
	coalesce(m.exposed_wait_ns, min(c.exposed_ns, c.dur - 100000 - 20 * c.bytes)) AS wait_ns, -- ns; 0 or less where it does not wait, NULL where that is not known
	m.exposed_wait_ns IS NULL AS is_guessed, -- 1: by its bytes
	c.dur AS dur, -- ns: duration
	c.bytes AS bytes -- as in communication.bytes; NULL when not recorded
FROM communication c LEFT JOIN collective m ON m.slice_id = c.slice_id
WHERE c.device IS NOT NULL AND (m.exposed_wait_ns IS NOT NULL OR NOT c.by_lane);
