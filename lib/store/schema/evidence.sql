-- The rows under a finding.
CREATE TABLE evidence (
	finding_id INTEGER NOT NULL REFERENCES finding, -- finding.id
	ord INTEGER NOT NULL, -- position under the finding, from 1
	subject TEXT NOT NULL, -- what the row is about: an operation, a step, a thread
	gain_ns INTEGER, -- ns: gain of this row
	count INTEGER, -- occurrences
	data TEXT NOT NULL -- the row's columns as a JSON object
) STRICT;
