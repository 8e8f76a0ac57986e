/*
 * The import as users ask for it: first the companions, other traces or stores of them in which the
 * graphs of the inputs were captured, through stores of their own; then the inputs. See
 * tracecoach/import.h.
 */
#include "tracecoach/import.h"

#include "core/alloc.h"
#include "core/files/reads.h"
#include "import/import.h"
#include "store/connection.h"

/* A trace, or a directory of them, is imported into a temporary store. */
static enum tc_status open_capture(struct tc_store **out, struct tc_ctx *ctx, const char *path,
	const struct tc_import_options *options)
{
	const struct tc_import_options own = {.inline_stages = options->inline_stages,
		.no_side_files = true,
		.strict = options->strict};
	struct tc_inputs inputs;

	if (tc_import_is_store(ctx, path))
		return tc_store_open(out, ctx, path);
	enum tc_status status = tc_inputs_find(&inputs, ctx, &path, 1, &own);
	if (!status)
		status = tc_import_traces(out, ctx, &inputs, NULL, &own, NULL);
	tc_inputs_clear(&inputs);
	return status;
}

static enum tc_status add_capture(struct tc_companion *companion, struct tc_ctx *ctx,
	const char *path, const struct tc_import_options *options)
{
	struct tc_store *store = NULL;
	size_t before = companion->captures.count;
	enum tc_status status = open_capture(&store, ctx, path, options);

	if (!status)
		status = tc_companion_add(companion, ctx, tc_store_db(store));
	tc_store_close(store);
	if (!status && companion->captures.count == before)
		status = tc_fail(ctx, TC_ERR_INPUT,
			"%s: no graph is captured in it: give a trace that has the calls from "
			"cudaStreamBeginCapture or hipStreamBeginCapture to the end of the capture",
			path);
	return status;
}

static void free_companion(struct tc_companion *companion)
{
	if (companion)
		tc_companion_clear(companion);
	tc_free(companion);
}

/* *out is NULL without captures. One trace in which nothing was captured is an error. */
static enum tc_status read_companion(
	struct tc_companion **out, struct tc_ctx *ctx, const struct tc_import_options *options)
{
	enum tc_status status = TC_OK;

	*out = NULL;
	if (options->capture_count == 0)
		return TC_OK;
	struct tc_companion *companion = tc_calloc(1, sizeof(*companion));
	if (!companion)
		return tc_no_memory(ctx);
	for (size_t i = 0; i < options->capture_count && !status; i++)
		status = add_capture(companion, ctx, options->capture_paths[i], options);
	if (status)
		free_companion(companion);
	else
		*out = companion;
	return status;
}

enum tc_status tc_import(struct tc_store **out, struct tc_ctx *ctx, const char *const *paths,
	size_t count, const char *db_path, const struct tc_import_options *options)
{
	struct tc_inputs inputs;
	enum tc_status status = tc_inputs_find(&inputs, ctx, paths, count, options);
	struct tc_import_options own = *options;
	struct tc_companion *companion = NULL;

	if (options->side_count == 0) {
		own.side_paths = inputs.sides.items;
		own.side_count = inputs.sides.count;
	}
	if (options->capture_count == 0) {
		own.capture_paths = inputs.captures.items;
		own.capture_count = inputs.captures.count;
	}
	if (!status && inputs.was && db_path && tc_reads_has(ctx, db_path))
		status = tc_fail(ctx, TC_ERR_USAGE,
			"%s: a store is not written over what it is made of: choose another name",
			db_path);
	if (!status)
		status = read_companion(&companion, ctx, &own);
	if (!status)
		status = tc_import_traces(out, ctx, &inputs, db_path, &own, companion);
	free_companion(companion);
	tc_inputs_clear(&inputs);
	return status;
}
