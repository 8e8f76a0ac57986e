-- Waits of the host within an exchange of features or embeddings between ranks (mark exchange), such as those for the
-- sizes of what it gets.
CREATE TABLE exchange_wait (
	id INTEGER PRIMARY KEY REFERENCES host_event, -- host_event.id
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	range TEXT NOT NULL -- the range around it
) STRICT;
