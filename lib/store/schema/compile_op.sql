-- The first 4,096 operations of each compilation.
CREATE TABLE compile_op (
	compile_id INTEGER NOT NULL REFERENCES compile, -- compile.id
	ord INTEGER NOT NULL, -- position among its operations, from 1
	slice_id INTEGER NOT NULL REFERENCES slice_row, -- slice.id of the host slice
	PRIMARY KEY (compile_id, ord)
) STRICT, WITHOUT ROWID;
