/*
 * Which files an import reads, known before it reads any: files as they are given, the traces of
 * directories (find.h), or the traces that a store names. A store's columns may be a lie, so only
 * regular files are taken from one: nobody waits for a pipe that a store names.
 */
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
#include "core/files/files.h"
#include "core/files/reads.h"
#include "import/inputs/find.h"
#include "side/side.h"
#include "source/source.h"
#include "store/connection.h"
#include "store/file/header.h"
#include "store/sealed/kind.h"
#include "store/sql.h"

static void inputs_init(struct tc_inputs *inputs, struct tc_ctx *ctx)
{
	*inputs = (struct tc_inputs){.arena = {.ctx = ctx}};
}

/* Adds a copy of a path to one of the lists. */
static void add(struct tc_inputs *inputs, struct tc_input_paths *list, const char *path)
{
	const char *copy = tc_arena_dup(&inputs->arena, tc_text_from(path));

	if (TC_ARENA_GROW(&inputs->arena, list->items, list->capacity, list->count + 1))
		list->items[list->count++] = copy;
}

static bool is_directory(const char *path)
{
	return strcmp(path, "-") != 0 && tc_place_is_directory(path);
}

static bool is_readable_directory(const char *path)
{
	return is_directory(path) && access(path, R_OK | X_OK) == 0;
}

/* From here on a batch is worth its index. */
enum { MANY_JOBS = 8 };

/* Adds the traces of a directory and those below it, job by job; by_name is a first look, which
 * says nothing. */
static void add_directory(
	struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path, bool by_name)
{
	const struct tc_find_options options = {.by_name = by_name};
	struct tc_buf file = {.ctx = ctx};
	struct tc_found *found = tc_find_jobs(ctx, &path, 1, &options);

	if (!found)
		return;
	if (found->job_count >= MANY_JOBS && !by_name)
		tc_ctx_note(ctx, TC_NOTE_HINT,
			"%s: %zu jobs: 'tracecoach batch' makes an index of many, on every core",
			path, found->job_count);
	for (size_t i = 0; i < found->left_out_count && !by_name; i++)
		tc_ctx_note(ctx, TC_NOTE_LEFT_OUT, "%s: %s",
			tc_found_path(&file, found->root, found->left_out[i].path),
			found->left_out[i].reason);
	for (size_t i = 0; i < found->job_count; i++) {
		const struct tc_found_job *job = &found->jobs[i];
		for (size_t k = 0; k < job->trace_count && !tc_ctx_failed(ctx); k++) {
			const char *name = tc_found_path(&file, found->root, job->traces[k].path);
			if (name && job->traces[k].is_special && !by_name)
				tc_ctx_note(ctx, TC_NOTE_NOT_READ,
					"%s: not read, it is not a regular file", name);
			else if (name)
				add(inputs, &inputs->traces, name);
		}
	}
	tc_found_free(found);
	tc_buf_clear(&file);
}

/* Adds a file, or the traces of a directory: then it returns true. Among other inputs a directory
 * that gives nothing is an input itself: it is left out. */
static bool add_path(
	struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path, bool must_be_good)
{
	size_t before = inputs->traces.count;
	bool is_searched = is_directory(path) && (must_be_good || is_readable_directory(path));

	if (is_searched)
		add_directory(inputs, ctx, path, false);
	if (tc_ctx_failed(ctx) || inputs->traces.count > before)
		return is_searched;
	if (!is_searched || !must_be_good)
		add(inputs, &inputs->traces, path);
	else
		tc_fail(ctx, TC_ERR_INPUT,
			"%s: a directory without traces: name traces, or a directory with .json, "
			".json.gz or .json.zst files in or below it",
			path);
	return false;
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

/* A file that is read twice would be two ranks that do the same work, and no job has those. */
static void drop_repeats(struct tc_inputs *inputs, struct tc_ctx *ctx)
{
	size_t count = 0, kept = 0;

	if (tc_ctx_failed(ctx))
		return;
	struct identity *files = tc_calloc(inputs->traces.count + 1, sizeof(*files));
	if (files)
		count = identify(files, inputs);
	else
		tc_no_memory(ctx);
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
	tc_free(files);
}

/* ---- checks before any input is read */

/* Reports a missing input before others take long to read. */
static void check_there(struct tc_ctx *ctx, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count && !tc_ctx_failed(ctx); i++)
		if (strcmp(paths[i], "-") != 0 && access(paths[i], R_OK) != 0)
			tc_fail_errno(ctx, TC_ERR_READ, errno, TC_TO_READ, "cannot open %s",
				tc_path_shown(paths[i]));
}

bool tc_import_is_store(struct tc_ctx *ctx, const char *path)
{
	return strcmp(path, "-") != 0 && tc_store_probe(path) &&
	       (tc_store_is_ours(path) || !tc_source_is_other_database(ctx, path));
}

/* Other databases are read as traces, or refused as such. */
static bool is_store(const char *path)
{
	return strcmp(path, "-") != 0 && tc_store_probe(path) && tc_store_is_ours(path);
}

/* One store alone has its report already: others are joined. */
static void refuse_store(struct tc_ctx *ctx, const char *path)
{
	if (!tc_ctx_failed(ctx) && tc_import_is_store(ctx, path))
		tc_fail(ctx, TC_ERR_USAGE,
			"%s: a store, not a trace: name the trace, or several stores to join",
			path);
}

static void check(struct tc_ctx *ctx, const char *const *paths, size_t count,
	const struct tc_import_options *options)
{
	if (count == 1)
		refuse_store(ctx, paths[0]);
	check_there(ctx, options->side_paths, options->side_count);
	check_there(ctx, options->capture_paths, options->capture_count);
	if (options->strict)
		check_there(ctx, paths, count);
}

/* ---- a store that is made again: the files it was made of. Of a store of another version only
 * columns are read that every version has. */

struct again {
	struct tc_ctx *ctx;
	struct tc_inputs *inputs;
	const char *store;
};

static void check_file(const struct again *again, const char *path, bool may_be_directory)
{
	struct stat file;

	if (strcmp(path, "-") == 0)
		tc_fail(again->ctx, TC_ERR_INPUT,
			"%s was made of standard input, which cannot be read again", again->store);
	else if (stat(path, &file) != 0)
		tc_fail_errno(again->ctx, TC_ERR_READ, errno, TC_TO_READ,
			"cannot open %s, which %s was made of", path, again->store);
	else if (!S_ISREG(file.st_mode) && !(may_be_directory && S_ISDIR(file.st_mode)))
		tc_fail(again->ctx, TC_ERR_INPUT, "%s, which %s was made of, is not a file", path,
			again->store);
}

/* Adds the path in the first column. */
static void take_path(
	const struct again *again, struct tc_input_paths *list, const struct tc_rows *row)
{
	const char *text = tc_rows_text(row, 0).ptr, *path = text ? text : "";

	check_file(again, path, list == &again->inputs->captures);
	add(again->inputs, list, path);
}

static void read_list(
	const struct again *again, sqlite3 *db, struct tc_input_paths *list, const char *sql)
{
	struct tc_rows rows = tc_rows_open(again->ctx, db, sql);

	while (tc_rows_next(&rows))
		take_path(again, list, &rows);
}

static void read_traces(const struct again *again, sqlite3 *db)
{
	struct tc_inputs *inputs = again->inputs;
	struct tc_rows rows = tc_rows_open(
		again->ctx, db, "SELECT path, read_bytes, event_count FROM trace ORDER BY id");

	while (tc_rows_next(&rows)) {
		size_t count = inputs->traces.count;
		if (TC_ARENA_GROW(&inputs->arena, inputs->was, inputs->was_capacity, count + 1))
			inputs->was[count] =
				(struct tc_input_was){tc_rows_int(&rows, 1), tc_rows_int(&rows, 2)};
		take_path(again, &inputs->traces, &rows);
	}
}

/* Stores before version 14 do not have them. */
static void read_captures(const struct again *again, sqlite3 *db)
{
	int64_t one = 0;
	bool is_known = false;

	tc_sql_lookup(&one, &is_known, again->ctx, db,
		"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'capture_file'", NULL);
	if (is_known)
		read_list(again, db, &again->inputs->captures,
			"SELECT path FROM capture_file ORDER BY id");
}

static void read_store(struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path)
{
	const struct again again = {.ctx = ctx, .inputs = inputs, .store = path};
	struct tc_store *store = NULL;

	tc_store_open_kind(&store, ctx, path, &tc_store_of_any_version);
	if (!store)
		return;
	sqlite3 *db = tc_store_db(store);
	read_traces(&again, db);
	read_list(&again, db, &inputs->sides,
		"SELECT path FROM side_file WHERE origin = 'given' ORDER BY id");
	read_captures(&again, db);
	tc_store_close(store);
	if (!tc_ctx_failed(ctx) && inputs->traces.count == 0)
		tc_fail(ctx, TC_ERR_INPUT, "%s names no trace", path);
}

/* ---- stores among the inputs */

/* What changes how a trace is read; NULL: nothing. */
static const char *reading_option(const struct tc_import_options *options)
{
	return options->device              ? "--device"
	       : options->peaks_path        ? "--peaks"
	       : options->capture_count > 0 ? "--capture"
					    : NULL;
}

static void find_stores(
	struct tc_inputs *inputs, struct tc_ctx *ctx, const struct tc_import_options *options)
{
	const char *option = reading_option(options);

	TC_ARENA(&inputs->arena, inputs->are_stores, inputs->traces.count);
	for (size_t i = 0; i < inputs->traces.count && !tc_ctx_failed(ctx); i++) {
		const char *path = inputs->traces.items[i];
		inputs->are_stores[i] = is_store(path);
		if (!inputs->are_stores[i])
			continue;
		if (option)
			tc_fail(ctx, TC_ERR_USAGE,
				"%s: a store, whose traces have been read without %s: give it when "
				"they are imported",
				path, option);
		else if (tc_reads_expect(ctx, path) != 0)
			tc_no_memory(ctx);
	}
}

/* ---- files that are given by name come in the order of their ranks, as those of a directory do */

struct ranked {
	int64_t rank;
	size_t index;
	const char *path;
};

TC_ORDER(by_rank, struct ranked, TC_UP(rank) TC_UP(index));

/* The rank of its first trace. A store that cannot be read has none: joining it says why. */
static int64_t rank_of_store(struct tc_ctx *ctx, const char *path)
{
	struct tc_ctx *own = tc_ctx_new();
	struct tc_store *store = NULL;
	int64_t rank = TC_NO_RANK;
	bool found = false;

	if (own && tc_store_open(&store, own, path) == TC_OK)
		tc_sql_lookup(&rank, &found, own, tc_store_db(store),
			"SELECT rank FROM trace WHERE world_size > 1 AND rank >= 0"
			" ORDER BY id LIMIT 1",
			NULL);
	else if (!own)
		tc_no_memory(ctx);
	tc_store_close(store);
	tc_ctx_free(own);
	return rank;
}

static int64_t rank_of(struct tc_ctx *ctx, const char *path)
{
	struct stat file;
	int64_t rank = TC_NO_RANK;

	/* A pipe is read once. */
	if (strcmp(path, "-") == 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode))
		return rank;
	if (is_store(path))
		return rank_of_store(ctx, path);
	tc_find_is_other_json(&rank, ctx, path);
	return rank;
}

/* Sorts the files from the index start on, which were named one after the other. */
static void sort_files(struct tc_inputs *inputs, struct tc_ctx *ctx, size_t start)
{
	size_t count = inputs->traces.count - start;
	struct ranked *files = count > 1 ? tc_new(ctx, count, sizeof(*files)) : NULL;

	if (!files)
		return;
	const char **paths = inputs->traces.items + start;
	for (size_t i = 0; i < count; i++)
		files[i] = (struct ranked){rank_of(ctx, paths[i]), i, paths[i]};
	TC_SORT(files, count, by_rank);
	for (size_t i = 0; i < count; i++)
		paths[i] = files[i].path;
	tc_free(files);
}

/* ---- all of it */

void tc_inputs_find(struct tc_inputs *inputs, struct tc_ctx *ctx, const char *const *paths,
	size_t count, const struct tc_import_options *options)
{
	inputs_init(inputs, ctx);
	if (options->again && count == 1) {
		read_store(inputs, ctx, paths[0]);
		TC_ARENA(&inputs->arena, inputs->are_stores, inputs->traces.count);
		return;
	}
	check(ctx, paths, count, options);
	if (count == 0)
		tc_fail(ctx, TC_ERR_USAGE, "no trace is named");
	for (size_t i = 0, start = 0; i < count && !tc_ctx_failed(ctx); i++) {
		bool is_directory = add_path(inputs, ctx, paths[i], count == 1 || options->strict);
		if (!is_directory && (i + 1 == count || is_readable_directory(paths[i + 1])))
			sort_files(inputs, ctx, start);
		if (is_directory)
			start = inputs->traces.count;
	}
	drop_repeats(inputs, ctx);
	find_stores(inputs, ctx, options);
}

/* Enters a file that will be read, and the side files that may lie beside it. */
static void expect(struct tc_ctx *ctx, const char *path, bool side_files)
{
	struct tc_buf side = {.ctx = ctx};
	int error = strcmp(path, "-") == 0 ? tc_reads_add(ctx, STDIN_FILENO)
					   : tc_reads_expect(ctx, path);

	for (size_t i = 0; side_files && error != ENOMEM && tc_side_beside(&side, path, i); i++) {
		const char *name = tc_buf_string(&side);
		error = name ? tc_reads_expect(ctx, name) : ENOMEM;
	}
	tc_buf_clear(&side);
	if (error == ENOMEM)
		tc_no_memory(ctx);
}

/* Without a look into files: all that may be read. */
static void expect_all(struct tc_ctx *ctx, const char *const *paths, size_t count,
	const struct tc_import_options *options)
{
	struct tc_inputs inputs;

	inputs_init(&inputs, ctx);
	if (options->strict)
		check_there(ctx, paths, count);
	for (size_t i = 0; i < count && !tc_ctx_failed(ctx); i++) {
		if (is_readable_directory(paths[i]))
			add_directory(&inputs, ctx, paths[i], true);
		else
			add(&inputs, &inputs.traces, paths[i]);
	}
	for (size_t i = 0; i < inputs.traces.count && !tc_ctx_failed(ctx); i++)
		expect(ctx, inputs.traces.items[i], !options->no_side_files);
	tc_inputs_clear(&inputs);
}

enum tc_status tc_import_expect(struct tc_ctx *ctx, const char *const *paths, size_t count,
	const struct tc_import_options *options)
{
	const struct tc_import_options of_captures = {.no_side_files = true};

	TC_ENTER(ctx);
	expect_all(ctx, paths, count, options);
	for (size_t i = 0; i < options->side_count && !tc_ctx_failed(ctx); i++)
		expect(ctx, options->side_paths[i], !options->no_side_files);
	expect_all(ctx, options->capture_paths, options->capture_count, &of_captures);
	if (options->peaks_path && !tc_ctx_failed(ctx) &&
		tc_reads_expect(ctx, options->peaks_path) != 0)
		tc_no_memory(ctx);
	return tc_ctx_status(ctx);
}
