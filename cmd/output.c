/* See output.h. */
#include "output.h"

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
