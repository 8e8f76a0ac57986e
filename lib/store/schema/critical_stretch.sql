-- The critical path as stretches of time, one behind the other from the start of the recording to its end.
-- What is shorter than a 65536th of that is put together with what lies beside it, and has the kind of the
-- longest piece; critical_path has the exact sums.
CREATE TABLE critical_stretch (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns
	piece TEXT NOT NULL, -- as in critical_path.piece
	device TEXT, -- as in critical_path.device
	track_id INTEGER REFERENCES track, -- track.id: the lane or thread of device and host; of work that runs on several lanes at once the first one; NULL for other pieces
	PRIMARY KEY (trace_id, ts)
) STRICT, WITHOUT ROWID;
