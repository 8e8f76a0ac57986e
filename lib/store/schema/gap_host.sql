-- Sums of the rows of gap that have a host slice: idle time by what the host did, without
-- the rest of each gap.
CREATE TABLE gap_host (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	cause TEXT NOT NULL, -- gap.cause
	is_warm_up INTEGER NOT NULL, -- 1 for gaps of warm-up steps
	label_id INTEGER NOT NULL REFERENCES label, -- label.id of the host slice that covers most of a gap
	dur INTEGER NOT NULL -- ns: sum of gap.host_ns
) STRICT;
