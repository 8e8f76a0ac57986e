-- Communication: an operation of a device, or a call that the host carries out itself (gloo, MPI), with what it moves and
-- how much of it nothing hides. Rates by lane, kind, group and size are in the view communication_total.
CREATE TABLE communication (
	slice_id INTEGER PRIMARY KEY REFERENCES slice_row, -- slice.id
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT, -- device, as in device_op.device; NULL on the host
	lane TEXT, -- name of the lane, such as "stream 20" or "NIC 0"; NULL on the host
	by_lane INTEGER NOT NULL, -- 1 on NIC lanes: each carries a part of the collective
	kind TEXT NOT NULL, -- all_reduce, all_gather, ...: of args."Collective name", else of the range in which the host launched it, else of the operation's name; see docs/names.md
	name TEXT, -- operation
	group_name TEXT, -- name and ranks of the process group; NULL when not recorded
	group_size INTEGER, -- ranks that take part; NULL when not recorded
	data_type TEXT, -- args.dtype
	bytes INTEGER, -- what the collective is about, as NCCL's tests count it: the larger of what one rank gives and gets; what it gives where only the inputs of the launch are recorded; NULL when nothing is
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration
	exposed_ns INTEGER NOT NULL -- ns: part of it in which its device computes nothing; on the host, in which no device works
) STRICT;

CREATE INDEX communication_by_trace ON communication(trace_id, ts);
