-- Values of metrics files; nested members have a row each. All values are cumulative.
CREATE TABLE side_metric (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	source INTEGER NOT NULL REFERENCES side_file, -- side_file.id
	metric TEXT NOT NULL, -- graph_compilation, cpu_fallback, memory_defragmentation, recipe_cache, ...
	triggered_by TEXT, -- what triggered the dump: process_exit, mark_step, metric_change, user
	generated_on TEXT, -- local time of the dump, as in the file
	ord INTEGER NOT NULL, -- position of the dump in its file, from 1
	name TEXT NOT NULL, -- TotalNumber, TotalTime, FallbackOps, ...
	item TEXT, -- member of a nested value: operation, recipe; NULL for plain values
	value ANY -- as the file gives it: graph_compilation in us, memory_defragmentation in ms
) STRICT;
