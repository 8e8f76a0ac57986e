#include "input.h"

#include <string.h>

#include "string_list.h"
#include "tracecoach/fleet.h"

struct tc_import_options tc_input_options(const struct tc_cli *cli)
{
	return (struct tc_import_options){
		.side_paths = (const char *const *)cli->options->with,
		.side_count = tc_strings_count(cli->options->with),
		.capture_paths = (const char *const *)cli->options->captures,
		.capture_count = tc_strings_count(cli->options->captures),
		.no_side_files = cli->options->no_side_files,
		.inline_stages = cli->options->one_thread,
		.again = cli->options->again,
		.strict = cli->options->strict,
		.full_index = cli->options->index && strcmp(cli->options->index, "full") == 0,
		.settings = cli->settings,
	};
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
	struct tc_import_options options = tc_input_options(cli);
	int code = check_store_name(cli, db_path);

	if (code != 0)
		return code;
	options.advice = advice;
	tc_progress_begin(cli);
	enum tc_status status =
		tc_import(out, cli->ctx, cli->args, cli->arg_count, db_path, &options);
	tc_progress_end(cli);
	if (status != TC_OK && tc_ctx_interrupted(cli->ctx))
		return tc_cli_error(TC_EXIT_INTERRUPTED, "interrupted: nothing was kept");
	/* With --again the store that is at fault is the one that was given. */
	return status == TC_OK ? 0 : tc_cli_fail(cli, options.again && status == TC_ERR_STORE);
}

static int open_store(struct tc_store **out, const struct tc_cli *cli)
{
	struct tc_store *store;

	if (tc_index_is(cli->args[0]))
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: the index of a batch: 'tracecoach report' prints it", cli->args[0]);
	if (tc_store_open(&store, cli->ctx, cli->args[0]) != TC_OK)
		return tc_cli_fail(cli, true);
	if (tc_store_check(cli->ctx, store, cli->options->strict) == TC_OK) {
		*out = store;
		return 0;
	}
	int code = tc_cli_fail(cli, true);
	tc_store_close(store);
	return code;
}

int tc_input_open(struct tc_store **out, struct tc_advice **advice, const struct tc_cli *cli)
{
	*advice = NULL;
	if (cli->arg_count == 1 && !cli->options->db &&
		tc_import_is_store(cli->ctx, cli->args[0])) {
		if (cli->options->with || cli->options->captures)
			return tc_cli_error(TC_EXIT_USAGE,
				"%s: a store is sealed, so %s is too late: give it with the "
				"trace, to analyze or import",
				cli->args[0], cli->options->with ? "--with" : "--capture");
		return open_store(out, cli);
	}
	return tc_input_import(out, advice, cli, cli->options->db);
}
