-- Phases of training. Each moment of a host thread and each device operation counts once.
CREATE TABLE phase_total (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	phase TEXT NOT NULL, -- forward, backward, recompute, optimizer, loader or other
	count INTEGER NOT NULL, -- calls of operators
	host_ns INTEGER NOT NULL, -- ns: sum of the time of host threads
	device_count INTEGER NOT NULL, -- device operations launched in it
	device_ns INTEGER NOT NULL, -- ns: sum of their durations
	exclusive_ns INTEGER NOT NULL, -- ns: busy time attributed to them, as in op_total; adds up to the busy time
	PRIMARY KEY (trace_id, phase)
) STRICT, WITHOUT ROWID;
