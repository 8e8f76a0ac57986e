/*
 * The inputs of an import: the files to read, of the paths that a user gives. A directory means the
 * traces in it.
 */
#ifndef TC_IMPORT_INPUTS_INPUTS_H
#define TC_IMPORT_INPUTS_INPUTS_H

#include "core/collections/arena.h"
#include "tracecoach/import.h"

/* What a store says of a trace that it was made of. */
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
	/* Of a store that is made again, else none: each trace as it was, side files, captures. */
	struct tc_input_was *was;
	size_t was_capacity;
	struct tc_input_paths sides, captures;
};

/*
 * Fills inputs with the files to read, in the order of the paths. A directory gives the files in
 * and below it, job by job (find.h), whose names end in .json, .json.gz or .json.zst and whose
 * first bytes are those of a trace, or of one that is damaged. Others are noted, and so is a file
 * that is given twice: it is read once. Fails for a store among the paths, and for a side file that
 * is not there; with options->strict for any path that is not there. With options->again they are
 * those of a store. tc_inputs_clear() in any case.
 */
enum tc_status tc_inputs_find(struct tc_inputs *inputs, struct tc_ctx *ctx,
	const char *const *paths, size_t count, const struct tc_import_options *options);
/* The same without a look into files: all that may be read. Fails only with options->strict, for a
 * path that is not there. */
enum tc_status tc_inputs_list(struct tc_inputs *inputs, struct tc_ctx *ctx,
	const char *const *paths, size_t count, const struct tc_import_options *options);
/* Adds a copy of a path to one of the lists. */
enum tc_status tc_inputs_add(struct tc_inputs *inputs, struct tc_ctx *ctx,
	struct tc_input_paths *list, const char *path);
/* Fills inputs with the traces that the store at path was made of, and with its side files and
 * captures that were given (again.c). */
enum tc_status tc_inputs_of_store(struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path);
void tc_inputs_clear(struct tc_inputs *inputs);

#endif
