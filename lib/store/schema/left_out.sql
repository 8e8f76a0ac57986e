-- Inputs that were given and are not in the store, because nothing of them could be used or the
-- import of one failed; nothing else in the store is from them.
CREATE TABLE left_out (
	id INTEGER PRIMARY KEY, -- place among the inputs given, from 0
	path TEXT NOT NULL, -- the file as it was named
	reason TEXT NOT NULL -- why, with the file's name
) STRICT;
