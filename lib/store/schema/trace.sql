-- One row per imported trace file.
CREATE TABLE trace (
	id INTEGER PRIMARY KEY, -- trace number, from 0 in the order of import
	path TEXT NOT NULL, -- path of the file as given
	format TEXT NOT NULL, -- gaudi-lazy, gaudi-kineto, kineto (PyTorch, also without Kineto), synapse-log, horovod, dftracer, flex or trace-event (all others)
	form TEXT NOT NULL, -- object, array or lines
	vendor TEXT, -- gaudi, cuda, rocm, xpu, mtia, ascend, tpu, musa, mlu, gcu, aiu, rbln; NULL when no device work shows it
	rank INTEGER, -- rank in the job; NULL when the file does not say
	world_size INTEGER, -- ranks in the job; NULL when the file does not say
	backend TEXT, -- collective backend (nccl, hccl, gloo); NULL when the file does not say
	device_name TEXT, -- name of the first device in deviceProperties
	device_memory_bytes INTEGER, -- bytes: its memory capacity; NULL when not recorded
	base_time_ns INTEGER, -- ns: baseTimeNanoseconds of the file, not added to ts
	start_ns INTEGER, -- ns: start of the first slice with a duration; NULL without slices
	end_ns INTEGER, -- ns: end of the last slice
	read_bytes INTEGER NOT NULL, -- bytes: size of the decompressed input
	event_count INTEGER NOT NULL, -- events decoded
	architecture TEXT -- generation of the first device, if advice depends on it: kepler, maxwell, pascal, volta, turing, turing_gtx (without tensor cores), ampere, ada, hopper, blackwell, cdna1, cdna2, cdna3, cdna4; from its compute capability or name, else the newest generation that a kernel was compiled for (the device may be newer); NULL for others
) STRICT;
