-- Graph compilations: the rows of host_event with role compile, and what each one compiled. Its
-- operations are those that its thread (for calls of the Gaudi runtime: the main thread) ran since
-- it last launched or compiled a graph, without those in loader calls; see docs/compiles.md.
CREATE TABLE compile (
	id INTEGER PRIMARY KEY, -- compile number, in the order of their starts
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	slice_id INTEGER NOT NULL REFERENCES slice_row, -- slice.id of the host slice
	step_id INTEGER REFERENCES step, -- step.id of the step that contains its start; NULL outside of steps
	ts INTEGER NOT NULL, -- ns: start
	dur INTEGER NOT NULL, -- ns
	exposed_ns INTEGER NOT NULL, -- ns: part of it in which no device works
	is_warm_up INTEGER NOT NULL, -- 1 before the second complete step, or in a warm-up step
	inner_slice_id INTEGER REFERENCES slice_row, -- slice.id of the last compile call within it, such as the runtime's own record of the same call
	launch_slice_id INTEGER REFERENCES slice_row, -- slice.id of the next graph launch of its thread; NULL when the next compile comes first
	recipe TEXT, -- recipe it produces, "name #id"; NULL when neither its args nor the work of that launch name one
	recipe_source TEXT, -- args or launch: where the name was found
	op_count INTEGER NOT NULL, -- operations it compiled; 0 when none are recorded
	op_sequence TEXT, -- hash of their names in order, the same in all traces; NULL when op_count is 0
	kind TEXT NOT NULL, -- first: neither its recipe name nor its op_sequence was compiled before in this trace; again: one of them was; unknown: it has neither
	previous_id INTEGER REFERENCES compile, -- kind again: compile.id of the previous compilation of the same recipe, else of the same op_sequence
	changed TEXT, -- kind again: what changed: nothing (same recipe), shapes, other (same operations and shapes, so a constant or a setting), unknown (shapes are not recorded)
	changed_slice_id INTEGER REFERENCES slice_row -- changed shapes: slice.id of the first operation whose input sizes differ
) STRICT;
