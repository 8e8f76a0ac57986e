-- Args that more than one slice has, but for numbers of the single event; read them through slice_args.
CREATE TABLE args_form (
	id INTEGER PRIMARY KEY, -- number of the form
	pattern TEXT NOT NULL, -- for printf(): %d where the numbers of slice_row go
	bits INTEGER NOT NULL -- bits of a number in slice_row.numbers
) STRICT;
