-- How much device work may grow before the recording does, by operation.
CREATE TABLE slack (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT, -- device, as in device_op.device
	engine TEXT, -- engine
	name TEXT, -- operation
	count INTEGER NOT NULL, -- operations; on Gaudi the parts of one on several engines are one
	dur_ns INTEGER NOT NULL, -- ns: sum of their durations
	least_slack_ns INTEGER NOT NULL -- ns: any one of them may take so much longer; 0 on the critical path
) STRICT;
