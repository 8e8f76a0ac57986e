/* tracecoach explain: one finding of a trace or store whole. */
#include "option_rows.h"
#include "output.h"

int tc_cmd_explain(struct tc_cli *cli)
{
	const char *const *args = cli->args;
	const char *const input[] = {args[0], NULL};

	if (!tc_option_format(cli))
		return TC_EXIT_USAGE;
	cli->args = input;
	cli->arg_count = 1;
	int code = tc_cli_report(cli, args[1]);
	cli->args = args;
	cli->arg_count = 2;
	return code;
}
