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

int tc_cmd_import(struct tc_cli *cli)
{
	struct tc_store *store;
	int code;

	if (!cli->options->output)
		return tc_cli_error(
			TC_EXIT_USAGE, "import: the store has no name: give one with -o STORE");
	code = check_index(cli->options->index);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0) {
		code = tc_input_import(&store, NULL, cli, cli->options->output);
		if (code == 0)
			tc_store_close(store);
	}
	return code;
}
