-- A line of the timeline: slices of one track are on one thread, one device lane or one async id.
CREATE TABLE track (
	id INTEGER PRIMARY KEY, -- track number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	kind TEXT NOT NULL, -- thread, lane, async, or thread_state (scheduling states of a thread)
	process_id INTEGER REFERENCES process, -- process.id
	thread_id INTEGER REFERENCES thread, -- thread.id; NULL for async tracks
	name TEXT, -- thread name, lane name or async name
	device TEXT, -- the device of a lane: args.device, else the pid; NULL on the host
	engine TEXT, -- Gaudi lanes: mme, tpc, dma, nic, other; NULL elsewhere (see label.engine)
	lane TEXT -- name of the lane within its device, such as "TPC 3" or "stream 7"
) STRICT;
