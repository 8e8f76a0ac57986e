/* tracecoach explain: one finding of a trace or store whole. */
#include "output.h"

int tc_cmd_explain(struct tc_cli *cli)
{
	/* Formats that say anything about a single finding. */
	static const char *const formats[] = {"text", "md"};
	const char *const *args = cli->args;
	const char *const input[] = {args[0], NULL};

	if (!tc_cli_choose("--format", cli->options->format, TC_CHOICES_OF(formats)))
		return TC_EXIT_USAGE;
	cli->args = input;
	cli->arg_count = 1;
	int code = tc_cli_report(cli, args[1]);
	cli->args = args;
	cli->arg_count = 2;
	return code;
}
