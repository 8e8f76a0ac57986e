/* See output.h. */
#include "output.h"

#include <string.h>

#include "input.h"

int tc_cli_open_output(struct tc_output **out, const struct tc_cli *cli)
{
	const struct tc_import_options options = tc_input_options(cli);

	/* No hour of reading shall end in a name that cannot be used. */
	if (tc_import_expect(cli->ctx, cli->args, cli->arg_count, &options) != TC_OK ||
		tc_output_open(out, cli->ctx, cli->options->output, cli->options->db) != TC_OK)
		return tc_cli_fail(cli, false);
	return 0;
}

bool tc_cli_wants_gzip(const struct tc_cli *cli)
{
	static const char end[] = ".gz";
	const char *name = cli->options->output;
	size_t len = name ? strlen(name) : 0;

	return len >= strlen(end) && strcmp(name + len - strlen(end), end) == 0;
}
