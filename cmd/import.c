/* tracecoach import: traces into a sealed store, and no report. */
#include <string.h>

#include "command.h"
#include "input.h"

/* --index: lean, the default, or full. */
static int check_index(const char *index)
{
	static const char *const names[] = {"lean", "full"};

	if (!index || strcmp(index, names[0]) == 0 || strcmp(index, names[1]) == 0)
		return 0;
	return tc_cli_no_value("--index", index, names, sizeof(names) / sizeof(names[0]));
}

static int check_again(const struct tc_cli *cli)
{
	if (!cli->options->again ||
		(cli->arg_count == 1 && tc_import_is_store(cli->ctx, cli->args[0])))
		return 0;
	return tc_cli_error(TC_EXIT_USAGE, "--again: takes one store that was made of traces");
}

int tc_cmd_import(struct tc_cli *cli)
{
	struct tc_store *store;
	int code;

	if (!cli->options->output)
		return tc_cli_error(
			TC_EXIT_USAGE, "import: the store has no name: give one with -o STORE");
	code = check_index(cli->options->index);
	if (code == 0)
		code = check_again(cli);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0) {
		code = tc_input_import(&store, NULL, cli, cli->options->output);
		if (code == 0)
			tc_store_close(store);
	}
	return code;
}
