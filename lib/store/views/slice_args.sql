-- Args of slices as in the file, without blanks.
CREATE VIEW slice_args AS
SELECT
	s.id AS slice_id, -- slice.id
	CASE typeof(s.args) WHEN 'integer' THEN (
		SELECT printf(f.pattern, s.numbers & ((1 << f.bits) - 1),
			s.numbers >> f.bits & ((1 << f.bits) - 1), s.numbers >> 2 * f.bits)
		FROM args_form f WHERE f.id = s.args)
	ELSE s.args END AS args -- JSON text, or NULL
FROM slice_row s;
