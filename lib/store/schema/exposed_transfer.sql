-- Intervals in which devices do nothing but copy between host and device, and no collective runs; the
-- rows add up to exposed_transfer_ns of all devices together. Rows shorter than 10 us are summed
-- up, one per step.
CREATE TABLE exposed_transfer (
	id INTEGER PRIMARY KEY, -- number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	step_id INTEGER REFERENCES step, -- step.id of the host step that contains its start; NULL outside of steps
	ts INTEGER NOT NULL, -- ns: start; of the first one for summed rows
	dur INTEGER NOT NULL, -- ns
	late_ns INTEGER NOT NULL, -- ns: part of it before the host began to launch the next work; all of it when that launch is not known, 0 when no work follows
	count INTEGER NOT NULL -- intervals in the row: 1, or more for summed rows
) STRICT;
