-- Log lines with a known meaning.
CREATE TABLE side_log (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	source INTEGER NOT NULL REFERENCES side_file, -- side_file.id
	line INTEGER NOT NULL, -- line number, from 1
	kind TEXT NOT NULL, -- cpu_fallback, cpu_fallback_total, recipe_eviction, recipe_over_limit, recipe_hit, recipe_miss or graph_compile
	subject TEXT, -- operation with its namespace, recipe, key, or name of the step; NULL when not logged
	count INTEGER NOT NULL, -- occurrences that the line reports
	value INTEGER, -- size of the cache as logged (recipe_eviction, recipe_over_limit), us of compiling (graph_compile); NULL when not logged
	text TEXT NOT NULL -- the line
) STRICT;
