-- Training or inference steps: the host's ProfilerStep#N slices.
CREATE TABLE step (
	id INTEGER PRIMARY KEY, -- step index over all traces of the store
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	number INTEGER NOT NULL, -- N of ProfilerStep#N; the position, from 0, when two steps have the same number
	name TEXT NOT NULL, -- name of the slice
	ts INTEGER NOT NULL, -- ns: start on the host
	dur INTEGER NOT NULL, -- ns: duration on the host
	slice_id INTEGER NOT NULL REFERENCES slice_row, -- slice.id
	device_ts INTEGER, -- ns: start of the first device operation the step launched; NULL without any
	device_dur INTEGER, -- ns: from there to the end of the last device operation it launched
	is_warm_up INTEGER NOT NULL, -- 1 for a first step that takes at least twice the median of the others
	is_unused INTEGER NOT NULL -- 1 for a last step in which nothing is launched: step() of the profiler began it after the loop; the view counted_step leaves it out
) STRICT;

CREATE INDEX step_by_time ON step(trace_id, ts);
