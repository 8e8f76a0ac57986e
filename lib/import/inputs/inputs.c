/* See inputs.h and tracecoach/import.h. */
#include "import/inputs/inputs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/context.h"
#include "core/files/place.h"
#include "core/files/reads.h"
#include "core/files/remedy.h"
#include "import/inputs/find.h"
#include "import/inputs/probe.h"
#include "side/side.h"

enum tc_status tc_inputs_add(
	struct tc_inputs *inputs, struct tc_ctx *ctx, struct tc_input_paths *list, const char *path)
{
	const char *copy = tc_arena_dup(&inputs->arena, tc_text_from(path));

	if (TC_ARENA_GROW(&inputs->arena, list->items, list->capacity, list->count + 1))
		list->items[list->count++] = copy;
	return tc_arena_status(&inputs->arena, ctx);
}

static enum tc_status add(struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path)
{
	return tc_inputs_add(inputs, ctx, &inputs->traces, path);
}

static bool is_directory(const char *path)
{
	return strcmp(path, "-") != 0 && tc_place_is_directory(path);
}

static bool is_readable_directory(const char *path)
{
	return is_directory(path) && access(path, R_OK | X_OK) == 0;
}

/* Adds the traces of a directory and those below it, job by job. */
static enum tc_status add_directory(
	struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path, bool by_name)
{
	const struct tc_find_options options = {.by_name = by_name};
	struct tc_found *found = NULL;
	struct tc_buf file = TC_BUF_EMPTY;
	enum tc_status status = tc_find_jobs(&found, ctx, &path, 1, &options);

	if (!status && found->job_count > 1 && !by_name)
		tc_ctx_note(ctx, TC_NOTE_HINT,
			"%s: %zu jobs: 'tracecoach batch' makes an index of many, on every core",
			path, found->job_count);
	for (size_t i = 0; !status && i < found->left_out_count; i++)
		tc_ctx_note(ctx, TC_NOTE_LEFT_OUT, "%s: %s", found->left_out[i].path,
			found->left_out[i].reason);
	for (size_t i = 0; !status && i < found->job_count; i++) {
		const struct tc_found_job *job = &found->jobs[i];
		for (size_t k = 0; !status && k < job->trace_count; k++) {
			const char *name = tc_found_path(&file, found->root, job->traces[k].path);
			if (!name)
				status = tc_no_memory(ctx);
			else if (job->traces[k].is_special && !by_name)
				tc_ctx_note(ctx, TC_NOTE_NOT_READ,
					"%s: not read, it is not a regular file", name);
			else
				status = add(inputs, ctx, name);
		}
	}
	tc_found_free(found);
	tc_buf_clear(&file);
	return status;
}

/* Among other inputs a directory that gives nothing is an input itself: it is left out. */
static enum tc_status add_path(
	struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path, bool must_be_good)
{
	size_t before = inputs->traces.count;

	if (!is_directory(path) || (!must_be_good && !is_readable_directory(path)))
		return add(inputs, ctx, path);
	enum tc_status status = add_directory(inputs, ctx, path, false);
	if (status != TC_OK || inputs->traces.count > before)
		return status;
	if (!must_be_good)
		return add(inputs, ctx, path);
	return tc_fail(ctx, TC_ERR_INPUT,
		"%s: a directory without traces: name traces, or a directory with .json, "
		".json.gz or .json.zst files in or below it",
		path);
}

/* One of the paths, by the file it leads to. */
struct identity {
	dev_t device;
	ino_t number;
	size_t index;
	bool again; /* an earlier path leads to the same file */
	size_t first;
};

TC_ORDER(by_file, struct identity, TC_UP(device) TC_UP(number) TC_UP(index));

TC_ORDER(by_index, struct identity, TC_UP(index));

/* Lists the regular files among the paths; returns how many. */
static size_t identify(struct identity *files, const struct tc_inputs *inputs)
{
	size_t count = 0;
	struct stat file;

	for (size_t i = 0; i < inputs->traces.count; i++) {
		if (strcmp(inputs->traces.items[i], "-") != 0 &&
			stat(inputs->traces.items[i], &file) == 0 && S_ISREG(file.st_mode))
			files[count++] = (struct identity){.device = file.st_dev,
				.number = file.st_ino,
				.index = i,
				.first = i};
	}
	TC_SORT(files, count, by_file);
	for (size_t i = 1; i < count; i++) {
		files[i].again = files[i].device == files[i - 1].device &&
				 files[i].number == files[i - 1].number;
		if (files[i].again)
			files[i].first = files[i - 1].first;
	}
	TC_SORT(files, count, by_index);
	return count;
}

/* A file that is read twice would be two ranks that do the same, and no job has those. */
static enum tc_status drop_repeats(struct tc_inputs *inputs, struct tc_ctx *ctx)
{
	struct identity *files = tc_calloc(inputs->traces.count + 1, sizeof(*files));
	size_t count = files ? identify(files, inputs) : 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!files[i].again)
			continue;
		const char **path = &inputs->traces.items[files[i].index];
		tc_ctx_note(ctx, TC_NOTE_WARNING,
			"%s: given twice, it is the same file as %s: read once", *path,
			inputs->traces.items[files[i].first]);
		*path = NULL;
	}
	for (size_t i = 0; i < inputs->traces.count; i++)
		if (inputs->traces.items[i])
			inputs->traces.items[kept++] = inputs->traces.items[i];
	inputs->traces.count = kept;
	enum tc_status status = files ? TC_OK : tc_no_memory(ctx);
	tc_free(files);
	return status;
}

/* Reports a missing input before others take long to read. */
static enum tc_status check_there(struct tc_ctx *ctx, const char *path)
{
	if (strcmp(path, "-") == 0 || access(path, R_OK) == 0)
		return TC_OK;
	return tc_fail(ctx, TC_ERR_READ, "cannot open %s: %s%s", path, strerror(errno),
		tc_remedy(errno, TC_TO_READ));
}

static enum tc_status check_all_there(struct tc_ctx *ctx, const char *const *paths, size_t count)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < count && status == TC_OK; i++)
		status = check_there(ctx, paths[i]);
	return status;
}

/* Among several inputs a database that is no sound store is one that cannot be read, like
 * others. */
static enum tc_status refuse_store(struct tc_ctx *ctx, const char *path, bool is_alone)
{
	if (is_alone ? !tc_import_is_store(ctx, path) : !tc_input_is_sound_store(path))
		return TC_OK;
	return tc_fail(ctx, TC_ERR_USAGE,
		"%s: a store, not a trace: name the trace; 'tracecoach analyze' reads one store, "
		"alone and without "
		"--db",
		path);
}

/* What can be said of the inputs before any is read. */
static enum tc_status check(struct tc_ctx *ctx, const char *const *paths, size_t count,
	const struct tc_import_options *options)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < count && status == TC_OK; i++)
		status = refuse_store(ctx, paths[i], count == 1);
	if (status == TC_OK)
		status = check_all_there(ctx, options->side_paths, options->side_count);
	if (status == TC_OK)
		status = check_all_there(ctx, options->capture_paths, options->capture_count);
	return status == TC_OK && options->strict ? check_all_there(ctx, paths, count) : status;
}

enum tc_status tc_inputs_find(struct tc_inputs *inputs, struct tc_ctx *ctx,
	const char *const *paths, size_t count, const struct tc_import_options *options)
{
	*inputs = (struct tc_inputs){0};
	if (options->again && count == 1)
		return tc_inputs_of_store(inputs, ctx, paths[0]);
	enum tc_status status = check(ctx, paths, count, options);

	for (size_t i = 0; i < count && status == TC_OK; i++)
		status = add_path(inputs, ctx, paths[i], count == 1 || options->strict);
	return status == TC_OK ? drop_repeats(inputs, ctx) : status;
}

enum tc_status tc_inputs_list(struct tc_inputs *inputs, struct tc_ctx *ctx,
	const char *const *paths, size_t count, const struct tc_import_options *options)
{
	enum tc_status status = options->strict ? check_all_there(ctx, paths, count) : TC_OK;

	*inputs = (struct tc_inputs){0};
	for (size_t i = 0; i < count && status == TC_OK; i++)
		status = is_readable_directory(paths[i])
				 ? add_directory(inputs, ctx, paths[i], true)
				 : add(inputs, ctx, paths[i]);
	return status;
}

void tc_inputs_clear(struct tc_inputs *inputs)
{
	tc_arena_clear(&inputs->arena);
	*inputs = (struct tc_inputs){0};
}

static enum tc_status expect(struct tc_ctx *ctx, const char *path, bool side_files)
{
	struct tc_buf side = TC_BUF_EMPTY;
	int error = strcmp(path, "-") == 0 ? tc_reads_add(ctx, STDIN_FILENO)
					   : tc_reads_expect(ctx, path);

	for (size_t i = 0; side_files && error != ENOMEM && tc_side_beside(&side, path, i); i++) {
		const char *name = tc_buf_string(&side);
		error = name ? tc_reads_expect(ctx, name) : ENOMEM;
	}
	tc_buf_clear(&side);
	return error == ENOMEM ? tc_no_memory(ctx) : TC_OK;
}

enum tc_status tc_import_expect(struct tc_ctx *ctx, const char *const *paths, size_t count,
	const struct tc_import_options *options)
{
	struct tc_inputs inputs;
	enum tc_status status = tc_inputs_list(&inputs, ctx, paths, count, options);

	for (size_t i = 0; i < inputs.traces.count && status == TC_OK; i++)
		status = expect(ctx, inputs.traces.items[i], !options->no_side_files);
	for (size_t i = 0; i < options->side_count && status == TC_OK; i++)
		status = expect(ctx, options->side_paths[i], !options->no_side_files);
	tc_inputs_clear(&inputs);
	if (status == TC_OK && options->capture_count > 0) {
		const struct tc_import_options own = {.no_side_files = true};
		status =
			tc_import_expect(ctx, options->capture_paths, options->capture_count, &own);
	}
	return status;
}
