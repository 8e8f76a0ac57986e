-- Stretches in which the host records nothing that says what it does (lib/analysis/silence.h, docs/gaps.md).
CREATE TABLE host_silence (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	kind TEXT NOT NULL, -- pause: no thread records an operation or a call for much longer than usual; compile: the own time of a thread until it loads code
	thread_id INTEGER NOT NULL REFERENCES thread, -- thread.id of the thread that goes on first
	before_label_id INTEGER REFERENCES label, -- label.id of the slice that ended last; NULL when there is none
	after_label_id INTEGER NOT NULL REFERENCES label, -- label.id of the slice that ends the silence
	owner_label_id INTEGER REFERENCES label -- label.id of the innermost range or Python frame around more than half of it, other than steps; NULL when there is none
) STRICT;
CREATE INDEX host_silence_by_time ON host_silence(trace_id, ts);
