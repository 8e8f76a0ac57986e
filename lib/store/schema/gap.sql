-- Device idle time, each row with one cause; the rows of a device add up to its device_idle_ns.
-- Gaps shorter than 10 us are summed up, one row per device, step and cause.
CREATE TABLE gap (
	id INTEGER PRIMARY KEY, -- gap number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	step_id INTEGER REFERENCES step, -- step.id of the step that waits (the one that launches the next work)
	ts INTEGER NOT NULL, -- ns: start of the cause; of the first one for summed rows
	dur INTEGER NOT NULL, -- ns
	cause TEXT NOT NULL, -- see docs/gaps.md: dataloader, input_copy, compile, setup, graph_build, dispatch, launch, sync, cpu_fallback, output_copy, collective, host_other, host_pause, no_work, queued, unknown, unrecorded
	host_slice_id INTEGER REFERENCES slice_row, -- slice.id of the host slice that covers most of it; NULL where more of it has no slice, and in summed rows
	host_ns INTEGER NOT NULL, -- ns: part of it that this slice covers
	empty_ns INTEGER NOT NULL, -- ns: part of it for which no host slice is known; so is queued time
	next_launch_slice_id INTEGER REFERENCES slice_row, -- slice.id of the host call that launched the work which ends the gap
	launch_delay_ns INTEGER, -- ns: from that call's start to the start of its work
	count INTEGER NOT NULL, -- gaps in the row: 1, or more for summed rows
	gap_ts INTEGER, -- ns: start of the whole gap, which may have a row per cause; NULL for summed rows
	gap_dur INTEGER, -- ns: the whole gap; streams may record events within it, whose time is in no row
	is_hole INTEGER NOT NULL -- 1 for a gap within one graph launch: operations are missing from the trace there, so this is no idle time (cause unrecorded)
) STRICT;
