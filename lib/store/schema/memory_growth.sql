-- How often the allocator reserved more memory of a device after the first complete step: samples whose total is above
-- that of the sample before, in the order of time.
CREATE TABLE memory_growth (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device_id INTEGER, -- memory_sample.device_id
	count INTEGER NOT NULL, -- samples that grew
	grown_bytes INTEGER NOT NULL, -- bytes: how much, in total
	reserved_peak_bytes INTEGER NOT NULL -- bytes reserved after such a sample, at most
) STRICT;
