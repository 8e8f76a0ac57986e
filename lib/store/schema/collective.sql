-- Collectives of the ranks of a job, on the device, and how long each waited for the last rank.
CREATE TABLE collective (
	slice_id INTEGER PRIMARY KEY, -- slice.id
	trace_id INTEGER NOT NULL, -- trace.id
	job_id INTEGER NOT NULL, -- job_rank.job_id
	device TEXT NOT NULL, -- device, as in device_op.device
	lane TEXT, -- Gaudi: the NIC lane, for every lane has its part; NULL elsewhere
	name TEXT NOT NULL, -- args."Collective name", else the name of the operation
	group_name TEXT, -- name and ranks of the process group; NULL when not said
	group_size INTEGER NOT NULL, -- ranks that take part; the world size when not said
	number INTEGER NOT NULL, -- args.Seq, else its place in the order of those of its name and group, from 0
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration
	match_id INTEGER, -- the lowest slice_id of the same collective on all its ranks; NULL when it could not be matched
	rank_count INTEGER, -- ranks matched
	wait_ns INTEGER, -- ns: time before the last rank came: dur less the shortest dur of the match; the rest is transfer
	exposed_wait_ns INTEGER, -- ns: part of it under no compute, and under no earlier wait of the trace
	end_offset_ns INTEGER, -- ns: its end by the clock of its rank, less the mean end of the match
	kind TEXT -- all_reduce, all_gather, ...: see docs/names.md; NULL when the name does not say
) STRICT;

CREATE INDEX collective_by_trace ON collective(trace_id, ts);
