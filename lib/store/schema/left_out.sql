-- Inputs that are not in the store, because they held nothing usable or their import failed. No
-- other table has rows from them.
CREATE TABLE left_out (
	id INTEGER PRIMARY KEY, -- position among the inputs, from 0 in the order of import
	path TEXT NOT NULL, -- path of the file as given
	reason TEXT NOT NULL -- reason, including the file name
) STRICT;
