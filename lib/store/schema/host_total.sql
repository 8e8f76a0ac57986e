-- Host time by slice name.
CREATE TABLE host_total (
	trace_id INTEGER NOT NULL, -- trace.id
	category TEXT, -- slice category
	name TEXT, -- slice name
	role TEXT, -- label.role
	count INTEGER NOT NULL, -- slices
	dur_ns INTEGER NOT NULL, -- ns: sum of durations
	self_ns INTEGER NOT NULL, -- ns: sum of durations less what nested slices take
	exposed_ns INTEGER NOT NULL, -- ns: part of the union of its slices, within the analysed steps (without steps, the host's time), in which no device works
	is_launching INTEGER NOT NULL, -- 1 when a thread whose time the accounts part, launching or of the Gaudi runtime, ran some of it
	class TEXT, -- label.class
	collective TEXT, -- label.collective
	phase TEXT, -- label.phase
	mark TEXT, -- label.mark
	outer_count INTEGER NOT NULL DEFAULT 0, -- slices that lie in no other of the same mark on their thread (the step of an optimizer that another one calls does); all for names without a mark
	outer_ns INTEGER NOT NULL DEFAULT 0, -- ns: sum of their durations
	outer_exposed_ns INTEGER NOT NULL DEFAULT 0, -- ns: exposed_ns of these
	optimizer_count INTEGER NOT NULL DEFAULT 0 -- slices that lie in the step of an optimizer, on its thread
) STRICT;
