-- Which traces are ranks of one job; see ranks.h.

-- Only now are the ranks known for every trace.
UPDATE metric SET value = 1 WHERE name = 'has_ranks' AND step IS NULL
AND (SELECT count(DISTINCT rank) > 1 FROM trace);

-- Ranks whose trace is in the store already, under another name: the same rank of a world with the
-- same slices.
CREATE TEMP TABLE rank_copy AS
SELECT a.id, max(b.id) AS of_id FROM trace a JOIN trace b ON b.id < a.id AND b.rank = a.rank
	AND b.world_size = a.world_size AND b.read_bytes = a.read_bytes
	AND b.event_count = a.event_count
WHERE a.rank BETWEEN 0 AND a.world_size - 1 AND a.world_size > 1 AND a.start_ns IS NOT NULL
	AND NOT EXISTS (SELECT 1 FROM timeline_block x LEFT JOIN timeline_block y
		ON y.trace_id = b.id AND y.ord = x.ord
		WHERE x.trace_id = a.id AND y.bytes IS NOT x.bytes)
GROUP BY a.id;

-- Traces with the same world size and different ranks are one job. If ranks repeat, a directory or
-- run that has each rank once is a job (own). Of the other traces, copies are no ranks, and those
-- whose wall times overlap are one job (number). If ranks still repeat, several jobs ran at the same
-- time, and directory and run separate them (part).
INSERT INTO job_rank (trace_id, job_id, rank, world_size, by_guess, matched_count)
WITH member AS (
	SELECT id, rank, world_size, tc_run(path) AS run,
		coalesce(base_time_ns, 0) + start_ns AS from_ns,
		coalesce(base_time_ns, 0) + end_ns AS to_ns
	FROM trace WHERE rank BETWEEN 0 AND world_size - 1 AND world_size > 1
		AND start_ns IS NOT NULL),
world AS (
	SELECT world_size, count(*) > count(DISTINCT rank) AS repeats
	FROM member GROUP BY world_size),
whole AS (
	SELECT world_size, run FROM member JOIN world USING (world_size) WHERE repeats
	GROUP BY world_size, run
	HAVING count(*) = world_size AND count(DISTINCT rank) = world_size),
owned AS (
	SELECT m.*, w.repeats, coalesce(o.run, '') AS own
	FROM member m JOIN world w USING (world_size) LEFT JOIN whole o USING (world_size, run)
	WHERE o.run IS NOT NULL OR m.id NOT IN (SELECT id FROM temp.rank_copy)),
island_start AS (
	SELECT *, repeats AND own = '' AND from_ns >= coalesce(max(to_ns) OVER (
			PARTITION BY world_size, own ORDER BY from_ns, id
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), from_ns + 1) AS begins
	FROM owned),
island AS (
	SELECT *, sum(begins) OVER (PARTITION BY world_size, own ORDER BY from_ns, id
		ROWS UNBOUNDED PRECEDING) AS number FROM island_start),
crowd AS (
	SELECT world_size, own, number, count(*) > count(DISTINCT rank) AS crowded
	FROM island GROUP BY world_size, own, number),
placed AS (
	SELECT i.*, iif(c.crowded, i.run, '') AS part
	FROM island i JOIN crowd c USING (world_size, own, number)),
job AS (
	SELECT world_size, own, number, part, min(id) AS job_id,
		max(from_ns) >= min(to_ns) AS apart
	FROM placed GROUP BY world_size, own, number, part
	HAVING count(*) > 1 AND count(*) = count(DISTINCT rank))
SELECT p.id, j.job_id, p.rank, p.world_size, j.apart, 0
FROM placed p JOIN job j USING (world_size, own, number, part)
ORDER BY j.job_id, p.rank;
