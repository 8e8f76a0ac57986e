/* See input.h. */
#include "input.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "left_out.h"
#include "progress.h"
#include "tracecoach/import.h"
#include "tracecoach/text.h"

/* An input that is not there, told before others are read for long. */
static int check_there(const char *path)
{
	if (strcmp(path, "-") == 0 || access(path, R_OK) == 0)
		return 0;
	return tc_cli_error(
		TC_EXIT_INPUT, "cannot open %s: %s%s", path, strerror(errno), tc_remedy(errno));
}

int tc_input_check(const struct tc_cli *cli)
{
	int code = 0;

	for (size_t i = 0; i < cli->arg_count && code == 0; i++)
		code = check_there(cli->args[i]);
	return code;
}

static size_t count_of(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

/* Among several inputs a database that is no sound store is one that cannot be read, like others. */
static bool is_refused_store(const struct tc_cli *cli, const char *path)
{
	return cli->arg_count > 1 ? tc_import_is_sound_store(path)
				  : tc_import_is_store(cli->ctx, path);
}

/* What can be said of the inputs before any is read. */
static int check_all(const struct tc_cli *cli)
{
	int code = 0;

	for (size_t i = 0; i < cli->arg_count; i++) {
		if (is_refused_store(cli, cli->args[i]))
			return tc_cli_error(TC_EXIT_USAGE,
				"%s: a store, not a trace: 'tracecoach analyze' reads one store, "
				"alone and without --db",
				cli->args[i]);
	}
	for (size_t i = 0; cli->options->with && cli->options->with[i] && code == 0; i++)
		code = check_there(cli->options->with[i]);
	return code == 0 && cli->options->strict ? tc_input_check(cli) : code;
}

/* A store is made whole and then named, so it needs a name. */
static int check_store_name(const struct tc_cli *cli, const char *path)
{
	const char *option = cli->options->db ? "--db" : "-o";

	if (!path || (*path && strcmp(path, "-") != 0))
		return 0;
	return tc_cli_error(TC_EXIT_USAGE,
		"%s '%s': a store cannot be made there: give the name of a file%s", option, path,
		*path ? " (./- if it is to be called so)" : "");
}

int tc_input_import(struct tc_store **out, struct tc_advice **advice, const struct tc_cli *cli,
	const char *db_path)
{
	struct tc_import_options options = {
		.side_paths = (const char *const *)cli->options->with,
		.side_count = count_of(cli->options->with),
		.no_side_files = cli->options->no_side_files,
		.inline_stages = cli->options->one_thread,
		.strict = cli->options->strict,
		.settings = cli->settings,
		.advice = advice,
		.left_out = tc_left_out_add,
		.left_out_user = cli->left_out,
	};
	struct tc_strings paths;
	enum tc_status status;
	int code;

	code = check_store_name(cli, db_path);
	if (code == 0)
		code = check_all(cli);
	if (code == 0)
		code = tc_paths_find(&paths, cli);
	else
		paths = (struct tc_strings){0};
	if (code == 0) {
		tc_progress_begin(cli);
		status = tc_import(out, cli->ctx, (const char *const *)paths.items, paths.count,
			db_path, &options);
		tc_progress_end(cli);
		if (status != TC_OK && tc_ctx_interrupted(cli->ctx))
			code = tc_cli_error(TC_EXIT_INTERRUPTED, "interrupted: nothing was kept");
		else if (status != TC_OK)
			code = tc_cli_fail(cli, false);
	}
	tc_strings_clear(&paths);
	return code;
}

/* Does the query give a row? Sets *out; an exit code when it cannot be run. */
static int has_row(bool *out, const struct tc_cli *cli, struct tc_store *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	int row = sqlite3_prepare_v2(tc_store_db(store), sql, -1, &statement, NULL);

	if (row == SQLITE_OK)
		row = sqlite3_step(statement);
	if (row != SQLITE_ROW && row != SQLITE_DONE)
		tc_fail(cli->ctx, tc_store_fail(cli->ctx, tc_store_db(store), "read the store"),
			"%s", cli->args[0]);
	sqlite3_finalize(statement);
	*out = row == SQLITE_ROW;
	return tc_ctx_status(cli->ctx) == TC_OK ? 0 : tc_cli_fail(cli, true);
}

/* --strict for a store that was made without it. */
static int check_loss(const struct tc_cli *cli, struct tc_store *store)
{
	bool lost;
	int code = has_row(
		&lost, cli, store, "SELECT 1 FROM import_log WHERE severity = 'data_loss' LIMIT 1");
	bool left_out = false;

	if (code == 0 && lost)
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: parts of a trace were lost: --strict refuses it: read its table "
			"import_log",
			cli->args[0]);
	if (code == 0)
		code = has_row(&left_out, cli, store, "SELECT 1 FROM left_out LIMIT 1");
	if (code == 0 && left_out)
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: inputs were left out of it: --strict refuses it: read its table "
			"left_out",
			cli->args[0]);
	return code;
}

/* Import makes no store without a trace. */
static int check_traces(const struct tc_cli *cli, struct tc_store *store)
{
	bool any;
	int code = has_row(&any, cli, store, "SELECT 1 FROM trace LIMIT 1");

	if (code == 0 && !any)
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: there is no trace in it: import the trace again", cli->args[0]);
	return code;
}

int tc_input_open_store(struct tc_store **out, const struct tc_cli *cli)
{
	if (tc_store_open(out, cli->ctx, cli->args[0]) != TC_OK)
		return tc_cli_fail(cli, true);
	if (tc_store_stray(*out))
		tc_cli_error(0,
			"warning: %s is there, but a store has no journal: it is not read: remove "
			"it, or import the trace again if another program has changed the store",
			tc_store_stray(*out));
	return 0;
}

static int open_store(struct tc_store **out, const struct tc_cli *cli)
{
	int code = tc_input_open_store(out, cli);

	if (code != 0)
		return code;
	code = check_traces(cli, *out);
	if (code == 0 && cli->options->strict)
		code = check_loss(cli, *out);
	if (code == 0 && tc_store_left_out(cli->ctx, *out, tc_left_out_add, cli->left_out) != TC_OK)
		code = tc_cli_fail(cli, true);
	if (code != 0)
		tc_store_close(*out);
	return code;
}

int tc_input_open(struct tc_store **out, struct tc_advice **advice, const struct tc_cli *cli)
{
	*advice = NULL;
	if (cli->arg_count == 1 && !cli->options->db &&
		tc_import_is_store(cli->ctx, cli->args[0])) {
		if (cli->options->with)
			return tc_cli_error(TC_EXIT_USAGE,
				"%s: a store is sealed, so --with is too late: give it with the "
				"trace, to analyze or import",
				cli->args[0]);
		return open_store(out, cli);
	}
	return tc_input_import(out, advice, cli, cli->options->db);
}
