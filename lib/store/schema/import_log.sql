-- Problems that the import met, and notes on it.
CREATE TABLE import_log (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	kind TEXT NOT NULL, -- see docs/import-log.md
	severity TEXT NOT NULL, -- info, data_loss or error
	byte_offset INTEGER, -- offset in the decompressed input; NULL when it has none
	count INTEGER NOT NULL, -- occurrences, or bytes for the kinds that skip bytes
	message TEXT -- what and where
) STRICT;
