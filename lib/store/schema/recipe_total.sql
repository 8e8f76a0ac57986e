-- Device time by recipe (a compiled graph of Gaudi); no rows for devices whose operations name none.
CREATE TABLE recipe_total (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	device TEXT NOT NULL, -- device, as in device_op.device
	recipe TEXT, -- "name #id", or "#id" without a name; NULL for work that names no recipe
	op_count INTEGER NOT NULL, -- operations, not counting those without an end
	exclusive_ns INTEGER NOT NULL -- ns: busy time attributed to the recipe's operations, as in op_total; adds up to device_busy_ns
) STRICT;

CREATE INDEX recipe_total_by_device ON recipe_total(trace_id, device);
