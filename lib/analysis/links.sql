-- How fast the links of ranks are beside each other (table rank_link). All that lies between the last arrival at a
-- collective and its end is the way of the data: the shortest duration on its ranks. A send and its receive are a
-- collective of two.

-- The node of each rank, where each rank has one device and these are numbered within nodes, one rank behind the
-- other: devices 0 to 7 on ranks 0 to 7, and again on 8 to 15.
CREATE TEMP TABLE link_node AS
WITH own AS (
	SELECT r.job_id, r.rank, min(tc_integer(m.device)) AS device, count(*) AS devices
	FROM job_rank r JOIN metric m ON m.trace_id = r.trace_id AND m.name = 'device_busy_ns'
		AND m.device IS NOT NULL AND m.step IS NULL
	GROUP BY r.trace_id),
size AS (
	SELECT job_id, max(device) + 1 AS devices FROM own GROUP BY 1
	HAVING max(devices) = 1 AND count(device) = count(*) AND max(device) > 0 AND min(device) >= 0)
SELECT o.job_id, o.rank, o.rank / s.devices AS node FROM own o JOIN size s USING (job_id)
WHERE o.job_id NOT IN (SELECT x.job_id FROM own x JOIN size z USING (job_id)
	WHERE x.device != x.rank % z.devices);

-- Collectives of a part of the world, whose ranks are all recorded; a row on each rank. In an all-to-all each pair of ranks
-- may move another amount, which no trace shows.
CREATE TEMP TABLE link_move AS
SELECT c.job_id, c.trace_id, r.rank, m.kind, c.group_name AS name, m.bytes, c.group_size,
	c.match_id AS move_id, c.dur - c.wait_ns AS ns, m.exposed_ns, c.dur - m.exposed_ns AS hidden_ns
FROM collective c JOIN job_rank r ON r.trace_id = c.trace_id
JOIN communication m ON m.slice_id = c.slice_id
WHERE c.wait_ns IS NOT NULL AND c.group_name IS NOT NULL AND c.lane IS NULL
	AND c.group_size < r.world_size AND m.bytes > 0 AND m.kind != 'all_to_all';

-- Sends, and receives of the other rank, paired from the last, if there are as many of them.
INSERT INTO temp.link_move
WITH told AS (
	SELECT c.slice_id, c.job_id, c.trace_id, r.rank, lower(c.name) = 'send' AS is_send,
		coalesce(c.group_name, '') AS group_name, m.kind, m.bytes, m.exposed_ns, c.ts, c.dur,
		(SELECT a.args FROM slice_args a WHERE a.slice_id = c.slice_id) AS args
	FROM collective c JOIN job_rank r ON r.trace_id = c.trace_id
	JOIN communication m ON m.slice_id = c.slice_id
	WHERE lower(c.name) IN ('send', 'recv') AND m.bytes > 0),
aimed AS (
	SELECT *, tc_integer(json_extract(args, iif(is_send, '$."Dst Rank"', '$."Src Rank"'))) AS peer
	FROM told),
placed AS (
	SELECT *, row_number() OVER (same ORDER BY ts DESC, slice_id DESC) AS place,
		count(*) OVER same AS times
	FROM aimed WHERE typeof(peer) = 'integer' AND peer != rank
	WINDOW same AS (PARTITION BY trace_id, is_send, peer, group_name)),
pair AS (
	SELECT s.slice_id AS move_id, s.trace_id AS send_id, g.trace_id AS receive_id, s.job_id,
		s.rank AS from_rank, g.rank AS to_rank, s.kind, s.bytes, min(s.dur, g.dur) AS ns,
		s.exposed_ns AS send_exposed_ns, g.exposed_ns AS receive_exposed_ns,
		s.dur - s.exposed_ns AS send_hidden_ns, g.dur - g.exposed_ns AS receive_hidden_ns
	FROM placed s JOIN placed g ON g.job_id = s.job_id AND g.rank = s.peer AND g.peer = s.rank
		AND g.group_name = s.group_name AND g.place = s.place AND g.times = s.times
		AND g.bytes = s.bytes
	WHERE s.is_send AND NOT g.is_send)
SELECT job_id, send_id, from_rank, kind, json_array(min(from_rank, to_rank), max(from_rank, to_rank)),
	bytes, NULL, move_id, ns, send_exposed_ns, send_hidden_ns FROM pair
UNION ALL
SELECT job_id, receive_id, to_rank, kind, json_array(min(from_rank, to_rank), max(from_rank, to_rank)),
	bytes, NULL, move_id, ns, receive_exposed_ns, receive_hidden_ns FROM pair;

-- Compute beside a transfer slows it, and ranks that move different amounts wait for the one that moves most: neither says
-- how fast the link is. A tenth is within the noise.
DELETE FROM temp.link_move WHERE (job_id, kind, name, move_id) IN (
	SELECT job_id, kind, name, move_id FROM temp.link_move GROUP BY 1, 2, 3, 4
	HAVING max(hidden_ns) * 10 > min(ns) OR min(bytes) != max(bytes));

-- The ranks of each link, how far they are apart, and on how many nodes.
CREATE TEMP TABLE link_peers AS
WITH member AS (
	SELECT DISTINCT job_id, kind, name, group_size, rank FROM temp.link_move),
apart AS (
	SELECT *, min(rank) OVER (PARTITION BY job_id, kind, name, group_size) AS first FROM member
	ORDER BY job_id, kind, name, group_size, rank)
SELECT a.job_id, a.kind, a.name, a.group_size, json_group_array(a.rank) AS peers,
	group_concat(a.rank - a.first) AS pattern,
	iif(count(n.node) = count(*), count(DISTINCT n.node), NULL) AS node_count
FROM apart a LEFT JOIN temp.link_node n ON n.job_id = a.job_id AND n.rank = a.rank
GROUP BY 1, 2, 3, 4;

-- A link is its ranks, whatever groups move data over it. Two thirds of the links set what is usual: where more than a third
-- are slower, ranks are joined in several ways.
INSERT INTO rank_link (trace_id, job_id, kind, peers, bytes, group_size, node_count, count,
	transfer_ns, least_ns, usual_ns, link_count, extra_ns)
WITH own AS (
	SELECT m.*, p.peers, p.pattern, p.node_count FROM temp.link_move m
	JOIN temp.link_peers p ON p.job_id = m.job_id AND p.kind = m.kind AND p.name = m.name
		AND p.group_size IS m.group_size),
move AS (
	SELECT job_id, kind, peers, group_size, bytes, pattern, node_count, name, move_id, min(ns) AS ns
	FROM own GROUP BY job_id, kind, peers, group_size, bytes, name, move_id),
placed AS (
	SELECT *, row_number() OVER (same ORDER BY ns, name, move_id) AS place, count(*) OVER same AS times
	FROM move WINDOW same AS (PARTITION BY job_id, kind, peers, group_size, bytes)),
link AS (
	SELECT job_id, kind, peers, group_size, bytes, pattern, node_count, times,
		max(iif(place = (times + 1) / 2, ns, NULL)) AS transfer_ns, min(ns) AS least_ns
	FROM placed GROUP BY job_id, kind, peers, group_size, bytes),
compared AS (
	SELECT *, row_number() OVER (alike ORDER BY transfer_ns, peers) AS place,
		count(*) OVER alike AS links
	FROM link WINDOW alike AS (PARTITION BY job_id, kind, group_size, bytes, pattern, node_count)),
usual AS (
	SELECT *, max(iif(place = links - links / 3, transfer_ns, NULL)) OVER (
		PARTITION BY job_id, kind, group_size, bytes, pattern, node_count) AS usual_ns
	FROM compared WHERE links >= 3)
SELECT m.trace_id, m.job_id, m.kind, m.peers, m.bytes, m.group_size, u.node_count, u.times,
	u.transfer_ns, u.least_ns, u.usual_ns, u.links,
	CAST(total(max(0, min(m.exposed_ns, m.ns - u.usual_ns))) AS INTEGER)
FROM own m JOIN usual u ON u.job_id = m.job_id AND u.kind = m.kind AND u.peers = m.peers
	AND u.group_size IS m.group_size AND u.bytes = m.bytes
GROUP BY m.trace_id, m.kind, m.peers, m.group_size, m.bytes
ORDER BY 1, 3, 4, 5, 6;

DROP TABLE temp.link_peers;
DROP TABLE temp.link_move;
DROP TABLE temp.link_node;
