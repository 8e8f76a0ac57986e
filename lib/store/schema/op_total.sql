-- Device time by operation name.
CREATE TABLE op_total (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	category TEXT, -- as in device_op
	name TEXT, -- operation
	engine TEXT NOT NULL, -- as in device_op
	kind TEXT NOT NULL, -- as in device_op
	data_type TEXT, -- args.dataType on Gaudi; NULL when not recorded
	count INTEGER NOT NULL, -- operations, not counting those without an end
	dur_ns INTEGER NOT NULL, -- ns: sum of durations over lanes
	exclusive_ns INTEGER NOT NULL, -- ns: busy time attributed to this operation; where several run, it goes to the engine of highest priority (mme > tpc > dma; compute > communication > copy; operations that only wait, mark device_wait, come last); adds up to the busy time
	min_ns INTEGER NOT NULL, -- ns: shortest
	max_ns INTEGER NOT NULL, -- ns: longest
	class TEXT, -- label.class
	precision TEXT NOT NULL DEFAULT 'unknown', -- precision of data_type, else label.precision
	collective TEXT, -- label.collective
	phase TEXT, -- label.phase
	mark TEXT -- label.mark
) STRICT;

CREATE INDEX op_total_by_device ON op_total(trace_id, device);
