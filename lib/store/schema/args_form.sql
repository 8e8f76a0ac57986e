-- Args that several slices share, without the numbers that differ; use the view slice_args to read them.
CREATE TABLE args_form (
	id INTEGER PRIMARY KEY, -- number of the form
	pattern TEXT NOT NULL, -- printf() pattern with %d for each number in slice_row.numbers
	bits INTEGER NOT NULL -- bits of a number in slice_row.numbers
) STRICT;
