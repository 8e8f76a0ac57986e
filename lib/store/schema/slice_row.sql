-- Slices as stored; use the views slice and device_op to read them.
CREATE TABLE slice_row (
	id INTEGER PRIMARY KEY, -- slice number, in the order of the file
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns: duration; -1 when the end is not in the file
	track_id INTEGER NOT NULL REFERENCES track, -- track.id
	label_id INTEGER NOT NULL REFERENCES label, -- label.id
	args ANY, -- JSON text without blanks and needless escapes, or args_form.id of its form, or NULL
	numbers INTEGER -- numbers that the form leaves out, args_form.bits each, the first in the lowest bits; NULL when it leaves out none
) STRICT;
