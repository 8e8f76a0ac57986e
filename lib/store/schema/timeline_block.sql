-- The slices of a trace as they were at import, with their launches, packed, for replays with other edits
-- (lib/replay/load.c). Read the views slice and device_op instead.
CREATE TABLE timeline_block (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	ord INTEGER NOT NULL, -- position of the block, from 0
	first_label_id INTEGER NOT NULL REFERENCES label, -- label.id: the first label of the trace
	last_label_id INTEGER NOT NULL REFERENCES label, -- label.id: the last one
	first_track_id INTEGER NOT NULL REFERENCES track, -- track.id that the first track of the trace has, or would have
	first_slice_id INTEGER NOT NULL REFERENCES slice_row, -- slice.id that the first slice of the trace has, or would have
	bytes BLOB NOT NULL, -- a frame of zstd: some ten thousand slices
	PRIMARY KEY (trace_id, ord)
) STRICT, WITHOUT ROWID;
