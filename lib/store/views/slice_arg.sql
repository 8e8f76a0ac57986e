-- Members of a slice's args, one row each.
CREATE VIEW slice_arg AS
SELECT
	s.id AS slice_id, -- slice.id
	j.key AS key, -- name of the member
	j.value AS value, -- its value; JSON text for objects and arrays
	j.type AS type -- JSON type
FROM slice s, json_each(s.args) j
WHERE s.args IS NOT NULL;
