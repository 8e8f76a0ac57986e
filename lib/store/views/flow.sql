-- Arrows between slices: from a flow's start, or its latest step, to each of its ends.
CREATE VIEW flow AS
SELECT
	f.id AS id, -- arrow number
	f.trace_id AS trace_id, -- trace.id
	l.category AS category, -- cat of the flow
	l.name AS name, -- name of the flow
	f.slice_out AS slice_out, -- slice.id the arrow leaves
	f.slice_in AS slice_in -- slice.id the arrow reaches
FROM flow_row f
JOIN label l ON l.id = f.label_id;
