-- Sums of the rows of gap: idle time by device, step and cause.
CREATE TABLE gap_total (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	step_id INTEGER REFERENCES step, -- step.id of the step that waits; NULL outside of steps
	cause TEXT NOT NULL, -- gap.cause
	dur INTEGER NOT NULL, -- ns
	count INTEGER NOT NULL, -- gaps; one with several causes counts for each
	longest_ns INTEGER, -- ns: the longest with a row of its own; NULL for none
	unrecorded_ns INTEGER NOT NULL, -- ns: part of dur for which no host slice is known; sum of gap.empty_ns
	short_ns INTEGER NOT NULL -- ns: part of dur in gaps of at most 10 us
) STRICT;
