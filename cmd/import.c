/* tracecoach import: traces into a sealed store, and no report. */
#include <string.h>

#include "command.h"
#include "input.h"

static struct {
	int again;
	char *index;
} asked;

static struct poptOption store_rows[] = {
	TC_ROW_OUTPUT("The store to make; one there is replaced", "STORE"),
	TC_FLAG("again", '\0', asked.again,
		"TRACE is a store, perhaps of an older version: read its traces again"),
	TC_TEXT("index", '\0', asked.index,
		"full: indexes by time, name and parent, for many questions about slices (default: "
		"lean)",
		"NAME"),
	TC_END};
struct poptOption tc_options_import[] = {TC_GROUP(tc_rows_input, "Input:"),
	TC_GROUP(store_rows, "Store:"), TC_GROUP(tc_rows_advice, "Advice:"),
	TC_GROUP(tc_rows_common, "Other:"), TC_END};

static int check_again(const struct tc_cli *cli)
{
	if (!asked.again || (cli->arg_count == 1 && tc_import_is_store(cli->ctx, cli->args[0])))
		return 0;
	return tc_cli_error(TC_EXIT_USAGE, "--again: takes one store that was made of traces");
}

int tc_cmd_import(struct tc_cli *cli)
{
	static const char *const indexes[] = {"lean", "full"};
	const char *path = cli->options->report.output;
	struct tc_store *store;

	if (!path)
		return tc_cli_error(
			TC_EXIT_USAGE, "import: the store has no name: give one with -o STORE");
	const char *const *index = tc_cli_choose("--index", asked.index, TC_CHOICES_OF(indexes));
	if (!index)
		return TC_EXIT_USAGE;
	int code = check_again(cli);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code != 0)
		return code;
	struct tc_import_options options = tc_input_options(cli);
	options.again = asked.again;
	options.full_index = index == &indexes[1];
	code = tc_input_import(&store, cli, path, &options);
	if (code == 0)
		tc_store_close(store);
	return code;
}
