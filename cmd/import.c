/* tracecoach import: traces into a sealed store, and no report. */
#include "command.h"
#include "input.h"

static int check_again(const struct tc_cli *cli)
{
	if (!cli->options->again ||
		(cli->arg_count == 1 && tc_import_is_store(cli->ctx, cli->args[0])))
		return 0;
	return tc_cli_error(TC_EXIT_USAGE, "--again: takes one store that was made of traces");
}

int tc_cmd_import(struct tc_cli *cli)
{
	static const char *const indexes[] = {"lean", "full"};
	struct tc_store *store;

	if (!cli->options->output)
		return tc_cli_error(
			TC_EXIT_USAGE, "import: the store has no name: give one with -o STORE");
	if (!tc_cli_choose("--index", cli->options->index, TC_CHOICES_OF(indexes)))
		return TC_EXIT_USAGE;
	int code = check_again(cli);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0) {
		code = tc_input_import(&store, NULL, cli, cli->options->output);
		if (code == 0)
			tc_store_close(store);
	}
	return code;
}
