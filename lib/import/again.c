/*
 * A store that is made again: what it was made of. Of a store of another version only these columns
 * are read, which every version has. They may be a lie, so the paths must be those of regular
 * files: nobody waits for a pipe that a store names.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/buf.h"
#include "core/context.h"
#include "core/files/remedy.h"
#include "import/inputs/inputs.h"
#include "store/connection.h"
#include "store/sealed/kind.h"
#include "store/sql.h"

struct again {
	struct tc_ctx *ctx;
	struct tc_inputs *inputs;
	const char *store;
};

static enum tc_status check_file(const struct again *again, const char *path, bool may_be_directory)
{
	struct stat file;

	if (strcmp(path, "-") == 0)
		return tc_fail(again->ctx, TC_ERR_INPUT,
			"%s was made of standard input, which cannot be read again", again->store);
	if (stat(path, &file) != 0)
		return tc_fail(again->ctx, TC_ERR_READ,
			"cannot open %s, which %s was made of: %s%s", path, again->store,
			strerror(errno), tc_remedy(errno));
	if (!S_ISREG(file.st_mode) && !(may_be_directory && S_ISDIR(file.st_mode)))
		return tc_fail(again->ctx, TC_ERR_INPUT, "%s, which %s was made of, is not a file",
			path, again->store);
	return TC_OK;
}

static const char *path_of(sqlite3_stmt *row)
{
	const char *text = (const char *)sqlite3_column_text(row, 0);

	return text ? text : "";
}

/* Copies a path to the end of a list. */
static enum tc_status add_path(
	const struct again *again, char ***list, size_t *count, size_t *capacity, const char *path)
{
	if (!TC_GROW(*list, *capacity, *count + 1))
		return tc_no_memory(again->ctx);
	(*list)[*count] = tc_string_dup(path);
	if (!(*list)[*count])
		return tc_no_memory(again->ctx);
	++*count;
	return TC_OK;
}

static enum tc_status add_trace(void *user, sqlite3_stmt *row)
{
	const struct again *again = user;
	struct tc_inputs *inputs = again->inputs;
	enum tc_status status = check_file(again, path_of(row), false);

	if (status)
		return status;
	if (!TC_GROW(inputs->was, inputs->was_capacity, inputs->count + 1))
		return tc_no_memory(again->ctx);
	inputs->was[inputs->count] =
		(struct tc_input_was){sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2)};
	return add_path(again, &inputs->paths, &inputs->count, &inputs->capacity, path_of(row));
}

static enum tc_status add_side(void *user, sqlite3_stmt *row)
{
	const struct again *again = user;
	struct tc_inputs *inputs = again->inputs;
	enum tc_status status = check_file(again, path_of(row), false);

	return status ? status
		      : add_path(again, &inputs->sides, &inputs->side_count, &inputs->side_capacity,
				path_of(row));
}

static enum tc_status add_capture(void *user, sqlite3_stmt *row)
{
	const struct again *again = user;
	struct tc_inputs *inputs = again->inputs;
	enum tc_status status = check_file(again, path_of(row), true);

	return status ? status
		      : add_path(again, &inputs->captures, &inputs->capture_count,
				&inputs->capture_capacity, path_of(row));
}

/* Stores before version 14 do not have them. */
static enum tc_status add_captures(struct again *again, sqlite3 *db)
{
	int64_t one = 0;
	bool is_known = false;
	enum tc_status status = tc_sql_lookup(&one, &is_known, again->ctx, db,
		"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'capture_file'", NULL);

	if (status || !is_known)
		return status;
	return tc_sql_each(again->ctx, db, "SELECT path FROM capture_file ORDER BY id", NULL,
		add_capture, again);
}

enum tc_status tc_inputs_of_store(struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path)
{
	struct again again = {ctx, inputs, path};
	struct tc_store *store = NULL;
	enum tc_status status = tc_store_open_kind(&store, ctx, path, &tc_store_of_any_version);

	if (status)
		return status;
	status = tc_sql_each(ctx, tc_store_db(store),
		"SELECT path, read_bytes, event_count FROM trace ORDER BY id", NULL, add_trace,
		&again);
	if (!status)
		status = tc_sql_each(ctx, tc_store_db(store),
			"SELECT path FROM side_file WHERE origin = 'given' ORDER BY id", NULL,
			add_side, &again);
	if (!status)
		status = add_captures(&again, tc_store_db(store));
	tc_store_close(store);
	if (!status && inputs->count == 0)
		status = tc_fail(ctx, TC_ERR_INPUT, "%s names no trace", path);
	return status;
}
