/* Traces with captures, through stores of their own; see companions.h. */
#include "import/companions.h"

#include "core/alloc.h"
#include "store/connection.h"

/* A trace, or a directory of them, is imported into a temporary store. */
static enum tc_status open_capture(struct tc_store **out, struct tc_ctx *ctx, const char *path,
	const struct tc_import_options *options)
{
	const struct tc_import_options own = {.inline_stages = options->inline_stages,
		.no_side_files = true,
		.strict = options->strict};

	if (tc_import_is_store(ctx, path))
		return tc_store_open(out, ctx, path);
	return tc_import(out, ctx, &path, 1, NULL, &own);
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

enum tc_status tc_companion_read(
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
		tc_companion_free(companion);
	else
		*out = companion;
	return status;
}

void tc_companion_free(struct tc_companion *companion)
{
	if (companion)
		tc_companion_clear(companion);
	tc_free(companion);
}
