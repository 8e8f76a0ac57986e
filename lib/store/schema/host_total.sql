-- Host time by slice name.
CREATE TABLE host_total (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	category TEXT, -- slice category
	name TEXT, -- slice name
	role TEXT, -- label.role
	count INTEGER NOT NULL, -- slices; of operators without those directly within another of the same name on their track, which PyTorch 1.8 records of each call
	dur_ns INTEGER NOT NULL, -- ns: sum of their durations
	self_ns INTEGER NOT NULL, -- ns: sum of durations without the time of nested slices
	self_exposed_ns INTEGER NOT NULL DEFAULT 0, -- ns: part of self_ns, within the analysed steps (without steps: the host time), in which no device works
	exposed_ns INTEGER NOT NULL, -- ns: part of the union of its slices, within the analysed steps (without steps: the host time), in which no device works
	is_launching INTEGER NOT NULL, -- 1 when some of them ran on a thread that launches work, or on one of the Gaudi runtime
	class TEXT, -- label.class
	collective TEXT, -- label.collective
	phase TEXT, -- label.phase
	mark TEXT, -- label.mark
	outer_count INTEGER NOT NULL DEFAULT 0, -- slices not nested in another slice of the same mark on their thread (an optimizer step that another one calls is nested); all slices for names without a mark
	outer_ns INTEGER NOT NULL DEFAULT 0, -- ns: sum of their durations
	outer_exposed_ns INTEGER NOT NULL DEFAULT 0, -- ns: their exposed_ns
	optimizer_count INTEGER NOT NULL DEFAULT 0 -- of count: slices within an optimizer step, on its thread
) STRICT;
