/*
 * A store that is made again: what it was made of. Of a store of another version only these columns
 * are read, which every version has. They may be a lie, so the paths must be those of regular
 * files: nobody waits for a pipe that a store names.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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
	struct tc_input_paths *list; /* that a query fills */
};

static enum tc_status check_file(const struct again *again, const char *path)
{
	bool may_be_directory = again->list == &again->inputs->captures;
	struct stat file;

	if (strcmp(path, "-") == 0)
		return tc_fail(again->ctx, TC_ERR_INPUT,
			"%s was made of standard input, which cannot be read again", again->store);
	if (stat(path, &file) != 0)
		return tc_fail(again->ctx, TC_ERR_READ,
			"cannot open %s, which %s was made of: %s%s", path, again->store,
			strerror(errno), tc_remedy(errno, TC_TO_READ));
	if (!S_ISREG(file.st_mode) && !(may_be_directory && S_ISDIR(file.st_mode)))
		return tc_fail(again->ctx, TC_ERR_INPUT, "%s, which %s was made of, is not a file",
			path, again->store);
	return TC_OK;
}

/* A row of a query that begins with a path. */
static enum tc_status add_path(void *user, sqlite3_stmt *row)
{
	const struct again *again = user;
	const char *text = (const char *)sqlite3_column_text(row, 0), *path = text ? text : "";
	enum tc_status status = check_file(again, path);

	return status ? status : tc_inputs_add(again->inputs, again->ctx, again->list, path);
}

static enum tc_status add_trace(void *user, sqlite3_stmt *row)
{
	struct tc_inputs *inputs = ((const struct again *)user)->inputs;
	size_t count = inputs->traces.count;

	if (TC_ARENA_GROW(&inputs->arena, inputs->was, inputs->was_capacity, count + 1))
		inputs->was[count] = (struct tc_input_was){
			sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2)};
	return add_path(user, row);
}

static enum tc_status read_list(struct again *again, sqlite3 *db, struct tc_input_paths *list,
	const char *sql, tc_sql_row_fn add)
{
	again->list = list;
	return tc_sql_each(again->ctx, db, sql, NULL, add, again);
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
	return read_list(again, db, &again->inputs->captures,
		"SELECT path FROM capture_file ORDER BY id", add_path);
}

enum tc_status tc_inputs_of_store(struct tc_inputs *inputs, struct tc_ctx *ctx, const char *path)
{
	struct again again = {.ctx = ctx, .inputs = inputs, .store = path};
	struct tc_store *store = NULL;
	enum tc_status status = tc_store_open_kind(&store, ctx, path, &tc_store_of_any_version);

	if (status)
		return status;
	status = read_list(&again, tc_store_db(store), &inputs->traces,
		"SELECT path, read_bytes, event_count FROM trace ORDER BY id", add_trace);
	if (!status)
		status = read_list(&again, tc_store_db(store), &inputs->sides,
			"SELECT path FROM side_file WHERE origin = 'given' ORDER BY id", add_path);
	if (!status)
		status = add_captures(&again, tc_store_db(store));
	tc_store_close(store);
	if (!status && inputs->traces.count == 0)
		status = tc_fail(ctx, TC_ERR_INPUT, "%s names no trace", path);
	return status;
}
