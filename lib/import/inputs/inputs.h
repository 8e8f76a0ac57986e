/*
 * The inputs of an import: the files to read, of the paths that a user gives. A directory means the
 * traces in it.
 */
#pragma once

#include "core/collections/arena.h"
#include "tracecoach/import.h"

/* A trace that a store was made of, as the store describes it. */
struct tc_input_was {
	int64_t read_bytes, event_count;
};

struct tc_input_paths {
	const char **items;
	size_t count, capacity;
};

struct tc_inputs {
	struct tc_arena arena; /* of all that follows */
	struct tc_input_paths traces;
	bool *are_stores; /* by index in traces: a store, whose traces are meant */
	/* For a store that is made again, else none: each trace as it was, side files, captures. */
	struct tc_input_was *was;
	size_t was_capacity;
	struct tc_input_paths sides, captures;
};

/*
 * Fills inputs with the files to read, in the order of the paths. A directory gives the files in
 * and below it, job by job (find.h), whose names end in .json, .json.gz or .json.zst and whose
 * first bytes are those of a trace, or of one that is damaged. Others are noted, and so is a file
 * that is given twice: it is read once. Fails for a store alone, for how traces are read beside a
 * store, whose traces have been read, and for a side file that is not there; with options->strict
 * for any path that is not there. With options->again the only path is a store, and the inputs are
 * those it was made of. tc_inputs_clear() in any case.
 */
void tc_inputs_find(struct tc_inputs *inputs, struct tc_ctx *ctx, const char *const *paths,
	size_t count, const struct tc_import_options *options);
static inline void tc_inputs_clear(struct tc_inputs *inputs)
{
	tc_arena_clear(&inputs->arena);
	*inputs = (struct tc_inputs){0};
}
