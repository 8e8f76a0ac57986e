-- The run without what does not belong to it (run_time), and the numbers of its steps: thresholds in percent are shares
-- of its time.
CREATE TABLE steady (
	trace_id INTEGER PRIMARY KEY REFERENCES trace, -- trace.id
	wall_ns INTEGER NOT NULL, -- ns: run_time.wall_ns without all that is no part of the run
	gain_wall_ns INTEGER NOT NULL, -- ns: of that what gains are said of: the steady steps of the replay; where there are too few of them, wall_ns without run_time.first_excess_ns
	step_count INTEGER NOT NULL, -- steps other than warm-up
	device_step_count INTEGER NOT NULL -- steps with device work in the recording, with warm-up: what counts of all device work are divided by
) STRICT;
