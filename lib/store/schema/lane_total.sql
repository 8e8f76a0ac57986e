-- Device time by lane or stream, for those with work.
CREATE TABLE lane_total (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	engine TEXT, -- as in device_op; NULL when the lane ran operations of several engines
	lane TEXT, -- name of the lane, such as "TPC 3" or "stream 7"
	track_id INTEGER NOT NULL REFERENCES track, -- track.id
	op_count INTEGER NOT NULL, -- operations, not counting those without an end
	busy_ns INTEGER NOT NULL -- ns: union of the lane's operations; lanes overlap, so sums over lanes may exceed the device's busy time
) STRICT;

CREATE INDEX lane_total_by_device ON lane_total(trace_id, device);
