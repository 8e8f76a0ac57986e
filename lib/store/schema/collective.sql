-- Collectives of the ranks of a job, on the device, and how long each waited for the last rank.
CREATE TABLE collective (
	slice_id INTEGER PRIMARY KEY REFERENCES slice_row, -- slice.id
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	job_id INTEGER NOT NULL, -- job_rank.job_id
	device TEXT NOT NULL, -- device, as in device_op.device
	lane TEXT, -- Gaudi: the NIC lane, since each lane carries a part; NULL elsewhere
	name TEXT NOT NULL, -- args."Collective name", else the name of the operation
	group_name TEXT, -- name and ranks of the process group; NULL when not recorded
	group_size INTEGER NOT NULL, -- ranks that take part; the world size when not recorded
	step INTEGER, -- step.number of the step that launched it, where number counts within that; NULL where it counts over the recording
	number INTEGER NOT NULL, -- args.Seq, else its position among collectives of the same name and group, from the last, which is 0
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration
	match_id INTEGER, -- the lowest slice_id of the same collective on all its recorded ranks; NULL when it could not be matched
	rank_count INTEGER, -- ranks matched
	early_ns INTEGER, -- ns: how much earlier than the last of the matched ranks it arrived: dur minus the shortest dur of the match
	wait_ns INTEGER, -- ns: wait for the last rank to arrive: early_ns; the rest of dur is transfer. NULL where ranks of the group are not recorded
	exposed_wait_ns INTEGER, -- ns: part of wait_ns not covered by compute or by an earlier wait of the trace
	end_offset_ns INTEGER, -- ns: its end on the clock of its rank, minus the mean end of the match
	kind TEXT -- all_reduce, all_gather, ...: see docs/names.md; NULL when the name does not show it
) STRICT;

CREATE INDEX collective_by_trace ON collective(trace_id, ts);
