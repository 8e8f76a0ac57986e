-- Flow arrows as stored; use the view flow to read them.
CREATE TABLE flow_row (
	id INTEGER PRIMARY KEY, -- arrow number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	label_id INTEGER NOT NULL REFERENCES label, -- label.id of the flow's events
	slice_out INTEGER NOT NULL REFERENCES slice_row, -- slice.id the arrow leaves
	slice_in INTEGER NOT NULL REFERENCES slice_row -- slice.id the arrow reaches
) STRICT;
