/* tracecoach explain: one finding of a trace or store whole. */
#include <string.h>

#include "analyze.h"

/* Formats that say anything about a single finding. */
static const char *const formats[] = {"text", "md"};

static int check_format(const char *format)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!format || strcmp(format, formats[i]) == 0)
			return 0;
	return tc_cli_no_value("--format", format, formats, sizeof(formats) / sizeof(formats[0]));
}

int tc_cmd_explain(struct tc_cli *cli)
{
	const char *const *args = cli->args;
	const char *const input[] = {args[0], NULL};
	int code = check_format(cli->options->format);

	if (code != 0)
		return code;
	cli->args = input;
	cli->arg_count = 1;
	code = tc_cli_report(cli, args[1]);
	cli->args = args;
	cli->arg_count = 2;
	return code;
}
