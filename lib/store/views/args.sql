-- Values in the args of slices, with the columns of Perfetto's table. See docs/perfetto.md; the view slice_arg has
-- the members as they are in the file.
CREATE VIEW args AS
SELECT
	s.slice_id AS arg_set_id, -- slice.arg_set_id
	'args' || replace(substr(j.fullkey, 2), '"', '') AS key, -- path of the value: args.dims[0]
	iif(j.type IN ('integer', 'true', 'false'), j.atom, NULL) AS int_value, -- integers; 1 and 0 for true and false
	iif(j.type = 'text', j.atom, NULL) AS string_value, -- texts
	iif(j.type = 'real', j.atom, NULL) AS real_value, -- other numbers
	CASE j.type WHEN 'integer' THEN 'int' WHEN 'text' THEN 'string' WHEN 'real' THEN 'real' ELSE 'bool' END AS value_type, -- int, real, string or bool
	CASE j.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(j.atom AS TEXT) END AS display_value -- the value as text
FROM slice_args s, json_tree(s.args) j
WHERE s.args IS NOT NULL AND j.atom IS NOT NULL;
