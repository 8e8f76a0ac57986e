-- Traces that are ranks of one job: same world size, each rank once. See docs/ranks.md.
CREATE TABLE job_rank (
	trace_id INTEGER PRIMARY KEY, -- trace.id
	job_id INTEGER NOT NULL, -- the lowest trace.id of the job
	rank INTEGER NOT NULL, -- rank in the job
	world_size INTEGER NOT NULL, -- ranks in the job, in the store or not
	by_guess INTEGER NOT NULL, -- 1 when the times of the traces do not all overlap, so that only world size and ranks say that they are one job
	matched_count INTEGER NOT NULL, -- its collectives that were matched with those of all ranks
	late_count INTEGER, -- matched ones to which it came last; NULL without any, as below
	wait_ns INTEGER, -- ns: sum of collective.wait_ns
	exposed_wait_ns INTEGER, -- ns: sum of collective.exposed_wait_ns
	start_wait_ns INTEGER, -- ns: collective.exposed_wait_ns of the first one
	clock_offset_ns INTEGER, -- ns: median of collective.end_offset_ns: how far its clock is ahead
	apart_ns INTEGER -- ns: sum of what end_offset_ns and clock_offset_ns differ by
) STRICT;
