-- Peak rates of the same device by precision, of matrix products without sparsity.
CREATE TABLE precision_peak (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	precision TEXT NOT NULL, -- fp64, fp32, tf32, fp16, bf16, fp8, fp4 or int8, as in label.precision
	flops_per_s REAL NOT NULL, -- floating-point operations (int8: operations) per second
	PRIMARY KEY (trace_id, precision)
) STRICT, WITHOUT ROWID;
