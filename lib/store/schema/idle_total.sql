-- Idle time of the analysed time by cause. The rows of a device, or of a step, add up to its metrics idle_ns and start_and_end_ns.
CREATE TABLE idle_total (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT, -- device, as in device_op.device; NULL for the time in which no device works
	step_id INTEGER REFERENCES step, -- step.id: within the step on the host, only with device NULL; NULL for the analysed time
	cause TEXT NOT NULL, -- as gap.cause, or after_last_work
	at_edge INTEGER, -- 1 before the first and after the last work, 0 between them; NULL for steps, both together
	dur INTEGER NOT NULL, -- ns
	count INTEGER, -- gaps; one with several causes counts for each; NULL for steps
	longest_ns INTEGER -- ns: the longest of them, of this cause; NULL for steps
) STRICT;
