-- The critical path: what the end of the recording waited for, followed back to its start. The rows of a
-- trace add up to its replayed time.
CREATE TABLE critical_path (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	piece TEXT NOT NULL, -- host, device, launch (from a launch to the start of its work), queue (from the end of other work to the start), wake (from what a thread waited for to its going on), other (before the first work, or not known)
	role TEXT, -- label.role of host slices; other: of a slice without a role, such as a frame of Python; NULL: no slice but a step
	engine TEXT, -- engine of device work, also of that which a launch or queue piece leads to
	device TEXT, -- device of that work, as in device_op.device
	name TEXT, -- name of the slice or operation; NULL for host time under no slice
	dur_ns INTEGER NOT NULL, -- ns: on the path
	count INTEGER NOT NULL -- stretches of the path
) STRICT;
