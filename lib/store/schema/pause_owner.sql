-- The innermost range or Python frame around more than half of all pauses (host_silence), other than steps; no row
-- without one.
CREATE TABLE pause_owner (
	trace_id INTEGER PRIMARY KEY REFERENCES trace, -- trace.id
	label_id INTEGER NOT NULL REFERENCES label, -- label.id
	owned_ns INTEGER NOT NULL, -- ns: the part of pauses within such slices
	pause_ns INTEGER NOT NULL -- ns: all pauses
) STRICT;
