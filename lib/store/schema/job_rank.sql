-- Traces that are ranks of one job: same world size, each rank once. See docs/ranks.md.
CREATE TABLE job_rank (
	trace_id INTEGER PRIMARY KEY REFERENCES trace, -- trace.id
	job_id INTEGER NOT NULL REFERENCES trace, -- the lowest trace.id of the job
	rank INTEGER NOT NULL, -- rank in the job
	world_size INTEGER NOT NULL, -- ranks in the job, in the store or not
	by_guess INTEGER NOT NULL, -- 1 when the times of the traces do not all overlap, so only world size and ranks suggest one job
	matched_count INTEGER NOT NULL, -- its collectives that were matched on all recorded ranks of their group, two or more
	late_count INTEGER, -- matched collectives in which it arrived last of the recorded ranks; NULL without any, as are the columns below
	wait_ns INTEGER, -- ns: sum of collective.wait_ns; NULL where ranks are not recorded, as are the next two
	exposed_wait_ns INTEGER, -- ns: sum of collective.exposed_wait_ns
	start_wait_ns INTEGER, -- ns: collective.exposed_wait_ns of its first collective
	clock_offset_ns INTEGER, -- ns: median of collective.end_offset_ns: how far its clock is ahead
	apart_ns INTEGER, -- ns: sum of the differences between end_offset_ns and clock_offset_ns
	late_order INTEGER, -- place among the ranks that make the others wait, from 1: that for which they wait longest when nobody waits for those before it; NULL when it wins nothing, or was not replayed
	late_gain_ns INTEGER, -- ns: wall time that the job wins when nobody waits for this rank: the median of the other ranks, of the steady run of the rank with late_order 1
	late_together_ns INTEGER -- ns: the same when nobody waits for it and for those with a lower late_order
) STRICT;
