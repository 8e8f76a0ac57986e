-- Hardware peaks of the trace's device, if lib/names/hardware/hardware.def has its name, or those that the user gave (--device, --peaks).
CREATE TABLE device_peak (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device_name TEXT NOT NULL, -- as in trace.device_name; where that does not say the device, the row of docs/hardware.md for the device that was given (--device), for its cores and memory or for the architecture of the kernels, or the section of the file of peaks (--peaks)
	core_count INTEGER, -- streaming multiprocessors, compute units, Xe cores or TPCs; NULL when not known
	hbm_bytes REAL, -- bytes: device memory according to the data sheet; NULL when the name has several sizes
	hbm_bytes_per_s REAL, -- its peak bandwidth in bytes per second
	link_bytes_per_s REAL, -- bytes per second to the other devices of a node, in one direction; NULL when not known
	core_mhz REAL, -- clock in MHz that the peaks are of; NULL when not known
	source TEXT NOT NULL, -- source of the figures; of a file of peaks what it says, else its path
	fp32_kept_ratio REAL -- part of the time of matrix products in fp32 that is left in 16 bits: 1.5 times the ratio of the peaks, a half at most unless the ratio is more; NULL when that is not known
) STRICT;
