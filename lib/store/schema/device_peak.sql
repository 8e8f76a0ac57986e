-- Hardware peaks of the trace's device, if lib/model/hardware.def has its name.
CREATE TABLE device_peak (
	trace_id INTEGER NOT NULL, -- trace.id
	device_name TEXT NOT NULL, -- as in trace.device_name
	mme_lane_count INTEGER, -- MME lanes that appear in a trace; NULL when not known
	tpc_lane_count INTEGER, -- TPC lanes
	bf16_tflops REAL, -- peak of the matrix engines in bf16, in TFLOPS
	fp8_tflops REAL, -- the same in fp8; NULL when not supported
	hbm_bytes REAL, -- bytes: device memory according to the data sheet
	hbm_bytes_per_s REAL, -- its peak bandwidth in bytes per second
	source TEXT NOT NULL -- source of the figures
) STRICT;
