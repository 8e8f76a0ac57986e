-- Times in which the host is held up, and what that costs the device. A host that is held up loses
-- its lead, so the idle time from then to the next such time is put down to it, but no more than
-- it lasted, and so are copies between host and device under which nothing else works, until the
-- host launches what follows them: work that is launched by then would wait for the copy in any
-- case. Calls below 100 us (loader calls below 1 ms) hold nothing up. A copy down and a copy up
-- within one operation are a fallback to the CPU. Of events and idle time it takes what
-- steady_host_event and steady_gap have.
-- A loader call does not end what a wait before it costs: without the wait it would have run beside
-- the device. So one idle time may be put down to a wait and to the loader.
CREATE TABLE host_block (
	id INTEGER PRIMARY KEY, -- host_event.id
	trace_id INTEGER NOT NULL, -- trace.id
	kind TEXT NOT NULL, -- sync, input_copy, cpu_fallback or dataloader
	role TEXT NOT NULL, -- label.role; of the copies of a fallback output_copy, then input_copy
	name TEXT NOT NULL, -- slice name
	caller TEXT, -- framework operation around it
	python TEXT, -- innermost Python frame around it
	step INTEGER, -- step.number; NULL in a trace without steps
	ts INTEGER NOT NULL, -- ns
	dur INTEGER NOT NULL, -- ns
	exposed_ns INTEGER NOT NULL, -- ns: part of it in which no device works
	idle_ns INTEGER NOT NULL, -- ns: device idle until the next one that is no loader call; 0 for loader calls
	next_idle_ns INTEGER NOT NULL, -- ns: device idle until the next one of any kind, under the loader apart
	host_idle_ns INTEGER NOT NULL, -- ns: part of that under graph building, operations, launches and Python
	transfer_ns INTEGER NOT NULL, -- ns: part of it in which devices do nothing but copy between host and device, before the host launches the work that follows
	after_transfer_ns INTEGER NOT NULL, -- ns: such copies from its end to that of the next one that is no loader call, without that one's own; 0 for loader calls
	next_transfer_ns INTEGER NOT NULL, -- ns: the same to the next one of any kind
	cost_ns INTEGER NOT NULL, -- ns: idle time and such copies put down to it, at most dur; a fallback is two copies and the time between, so its cost has no such limit
	held_ns INTEGER NOT NULL -- ns: of host_idle_ns, what is put down to it
) STRICT;
