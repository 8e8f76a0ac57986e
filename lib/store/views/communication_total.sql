-- Communication by device, lane, kind, group and size: how much of it is exposed, and how fast it is. Collectives that the
-- host itself carries out (gloo, MPI) have no device. Rates are those of the time after the last rank has arrived, where that
-- is known (collective.wait_ns), else of all of it.
CREATE VIEW communication_total AS
WITH moved AS (
	SELECT c.trace_id, c.device, c.lane, c.kind, c.group_name,
		coalesce(c.group_size, iif(m.rank_count = m.group_size, m.group_size, NULL)) AS group_size, c.bytes,
		count(*) AS count, CAST(total(c.dur) AS INTEGER) AS dur_ns,
		CAST(total(c.exposed_ns) AS INTEGER) AS exposed_ns,
		iif(count(m.wait_ns) = count(*), CAST(total(m.wait_ns) AS INTEGER), NULL) AS wait_ns
	FROM communication c LEFT JOIN collective m ON m.slice_id = c.slice_id
	GROUP BY 1, 2, 3, 4, 5, 6, 7),
rate AS (
	SELECT *, iif(dur_ns > coalesce(wait_ns, 0),
		1e9 * bytes * count / (dur_ns - coalesce(wait_ns, 0)), NULL) AS bytes_per_s,
		CASE
			WHEN kind = 'all_reduce' THEN 2.0 * (group_size - 1) / group_size
			WHEN kind IN ('all_gather', 'reduce_scatter', 'all_to_all', 'gather', 'scatter')
				THEN 1.0 * (group_size - 1) / group_size
			ELSE 1.0 END AS links
	FROM moved)
SELECT
	trace_id AS trace_id, -- trace.id
	device AS device, -- device, as in device_op.device; NULL on the host
	lane AS lane, -- name of the stream; on Gaudi of the NIC lane, each of which carries a part; NULL on the host
	kind AS kind, -- as in communication.kind
	group_name AS group_name, -- as in communication.group_name
	group_size AS group_size, -- as in communication.group_size; where that is not recorded, the ranks whose traces all have the operation
	bytes AS bytes, -- of one, as in communication.bytes
	count AS count, -- operations, or calls of the host
	dur_ns AS dur_ns, -- ns: sum of durations
	exposed_ns AS exposed_ns, -- ns: part of it in which the device computes nothing; on the host, in which no device works
	wait_ns AS wait_ns, -- ns: part of it before the last rank has arrived; NULL unless known for all
	bytes_per_s AS algorithm_bytes_per_s, -- bytes by the time that one takes, without wait_ns; NULL when bytes are not recorded
	bytes_per_s * links AS bus_bytes_per_s, -- the same as a rate of the links, comparable between kinds and sizes of groups, as NCCL's tests define it; NULL when the size of the group is not recorded
	iif(device IS NULL, NULL, CAST(1e9 * bytes * links / p.link_bytes_per_s AS INTEGER)) AS link_ns -- ns: what the links of the data sheet (device_peak), all those of a device to its node together, need for the bytes of one; the rest of its time is start-up, waiting, and links that are slower or fewer; NULL on the host and when one is not known
FROM rate
LEFT JOIN device_peak p USING (trace_id);
