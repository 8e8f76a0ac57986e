-- Files read beside the traces: metrics, logs, tables of the Gaudi profiler (docs/side-files.md).
CREATE TABLE side_file (
	id INTEGER PRIMARY KEY, -- side file number, from 0 in the order of import
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id of the trace it belongs to
	path TEXT NOT NULL, -- path of the file as given or found
	kind TEXT NOT NULL, -- metrics-json, metrics-text, log, hw-csv or node-csv
	origin TEXT NOT NULL, -- given (--with) or found (beside the trace, by its name)
	read_bytes INTEGER NOT NULL, -- bytes: size of the decompressed file
	row_count INTEGER NOT NULL, -- rows it added to the tables below
	damaged_count INTEGER NOT NULL -- lines or records that could not be read
) STRICT;
