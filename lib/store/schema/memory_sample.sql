-- Allocator events ("[memory]" instants) with their totals.
CREATE TABLE memory_sample (
	id INTEGER PRIMARY KEY, -- sample number
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	ts INTEGER NOT NULL, -- ns
	device_type INTEGER, -- 0 for the CPU, otherwise a device type as PyTorch numbers them
	device_id INTEGER, -- index of the device, -1 for the CPU
	addr ANY, -- address, integer or text
	bytes INTEGER, -- bytes: positive for an allocation, negative for a free
	total_allocated_bytes INTEGER, -- bytes in use after it
	total_reserved_bytes INTEGER, -- bytes reserved after it
	thread_id INTEGER NOT NULL REFERENCES thread -- thread.id of the thread that called the allocator
) STRICT;
