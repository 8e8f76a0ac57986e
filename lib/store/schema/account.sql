-- What every heuristic did: fired, quiet, not_applicable, not_asked or failed.
CREATE TABLE account (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	heuristic TEXT NOT NULL, -- id of the heuristic
	outcome TEXT NOT NULL, -- fired, quiet, not_applicable, not_asked (left out by a setting) or failed
	reason TEXT -- why it does not apply, was not asked or failed
) STRICT;
