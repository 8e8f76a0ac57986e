-- Blocks: host events that hold the host up, and what each costs the device. The host loses its
-- lead, so the device's idle time from the block to the next one is attributed to it, up to its
-- duration. So are copies between host and device while nothing else runs, until the host launches
-- the next work: work launched by then would have waited for the copy anyway. Calls below 100 us
-- (loader calls below 1 ms) do not count. A wait within a copy has the direction of the device's
-- copy that released it, where the trace shows one. A copy to the host and one back within one operation are
-- a fallback to the CPU, and so is an operation on the CPU after a copy to the host. Events and idle time are those of steady_host_event and steady_gap.
-- A loader call does not end the cost of a wait before it: without the wait it would have run beside
-- the device. So the same idle time may be attributed to a wait and to the loader.
CREATE TABLE host_block (
	id INTEGER PRIMARY KEY REFERENCES host_event, -- host_event.id
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	kind TEXT NOT NULL, -- sync, input_copy, cpu_fallback or dataloader
	role TEXT NOT NULL, -- label.role; for the copies of a fallback output_copy, then input_copy
	name TEXT NOT NULL, -- slice name
	caller TEXT, -- framework operation around it
	python TEXT, -- innermost Python frame around it
	step INTEGER, -- step.number; NULL in a trace without steps
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	exposed_ns INTEGER NOT NULL, -- ns: part of it in which no device works
	idle_ns INTEGER NOT NULL, -- ns: device idle until the next block that is not a loader call; 0 for loader calls
	next_idle_ns INTEGER NOT NULL, -- ns: device idle until the next block of any kind, without idle time caused by the loader
	host_idle_ns INTEGER NOT NULL, -- ns: part of next_idle_ns caused by graph building, operations, launches and Python
	transfer_ns INTEGER NOT NULL, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the next work
	after_transfer_ns INTEGER NOT NULL, -- ns: such copies from its end to the start of the next block that is not a loader call; 0 for loader calls
	next_transfer_ns INTEGER NOT NULL, -- ns: the same for the next block of any kind
	cost_ns INTEGER NOT NULL, -- ns: idle time and such copies attributed to it, at most dur; no limit for a fallback, which is two copies and the time between
	held_ns INTEGER NOT NULL -- ns: part of host_idle_ns attributed to it
) STRICT;
