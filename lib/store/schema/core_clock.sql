-- Clock of what computes on a device, from counters of the trace (lib/names/counters.def): a row for each sample, which holds
-- until the next one. A counter is that of the device whose process it is in. Where only one device works and has none there,
-- it is the only counter outside of the processes of devices (numbers below 64). Others have no row.
CREATE TABLE core_clock (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	counter TEXT NOT NULL, -- counter.name
	ts INTEGER NOT NULL, -- ns: time of the sample; of the first one too, though the clock was likely the same before
	dur INTEGER NOT NULL, -- ns: until the next sample, or the end of the trace
	mhz REAL NOT NULL, -- clock in MHz
	busy_ns INTEGER NOT NULL, -- ns: part of it in which the device computes
	PRIMARY KEY (trace_id, device, counter, ts)
) STRICT, WITHOUT ROWID;
