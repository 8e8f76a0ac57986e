-- Every number the reports print. step is the step's number, NULL for the whole trace; device is
-- NULL for the run as a whole or the host.
CREATE TABLE metric (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	name TEXT NOT NULL, -- see docs/metrics.md
	device TEXT, -- device, as in device_op.device
	step INTEGER, -- step.number
	value ANY NOT NULL, -- integer for ns, bytes and counts; real for ratios and percentages
	unit TEXT NOT NULL -- ns, bytes, count, pct or ratio
) STRICT;

-- Almost all questions by name are about the run, and almost all rows are about steps. The value is in
-- the index: the rows of one name are far apart.
CREATE INDEX metric_by_name ON metric(name, trace_id, step, device, value) WHERE step IS NULL;
