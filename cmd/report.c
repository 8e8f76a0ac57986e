/* tracecoach report: the index of a batch, as a page on all of its jobs. */
#include "command.h"
#include "fleet_output.h"

int tc_cmd_report(struct tc_cli *cli)
{
	const struct tc_fleet_report_input input = {.path = cli->args[0],
		.since_path = cli->options->since,
		.group_by = cli->options->group_by};

	if (cli->options->fail_on_slower && !input.since_path)
		return tc_cli_error(TC_EXIT_USAGE,
			"--fail-on-slower: slower than what? Name an earlier index with --since");
	return tc_fleet_output(cli, input, NULL);
}
