/* tracecoach import: traces into a sealed store, and no report. */
#include "command.h"
#include "input.h"

int tc_cmd_import(struct tc_cli *cli)
{
	struct tc_store *store;
	int code;

	if (!cli->options->output)
		return tc_cli_error(
			TC_EXIT_USAGE, "import: the store has no name: give one with -o STORE");
	code = tc_cli_settings(cli);
	if (code == 0) {
		code = tc_input_import(&store, NULL, cli, cli->options->output);
		if (code == 0)
			tc_store_close(store);
	}
	return code;
}
