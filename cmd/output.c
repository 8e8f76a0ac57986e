#include "output.h"

#include <string.h>

#include "input.h"
#include "terminal.h"

int tc_cli_open_output(struct tc_output **out, const struct tc_cli *cli)
{
	const struct tc_import_options options = tc_input_options(cli);

	/* No hour of reading shall end in a name that cannot be used. */
	if (tc_import_expect(cli->ctx, cli->args, cli->arg_count, &options) != TC_OK ||
		tc_output_open(out, cli->ctx, cli->options->output, cli->options->db) != TC_OK)
		return tc_cli_fail(cli, false);
	return 0;
}

int tc_cli_close_output(struct tc_output *output, const struct tc_cli *cli, int code,
	enum tc_status status, const char *store)
{
	status = tc_output_close(output, code == 0 ? status : TC_ERR_INPUT);
	return code == 0 && status != TC_OK ? tc_cli_report_failed(cli, store) : code;
}

struct tc_report_options tc_cli_report_options(const struct tc_cli *cli, struct tc_output *output)
{
	const struct tc_options *options = cli->options;
	int fd = tc_output_fd(output);

	return (struct tc_report_options){
		.color = tc_terminal_color(fd, options),
		.ascii = tc_terminal_ascii(options),
		.width = tc_terminal_width(fd, options->width),
		.top = options->top,
		.step = options->step,
		.rank = options->rank,
		.details = options->details != 0,
		.anyway = options->anyway != 0,
	};
}

bool tc_cli_wants_gzip(const struct tc_cli *cli)
{
	static const char end[] = ".gz";
	const char *name = cli->options->output;
	size_t len = name ? strlen(name) : 0;

	return len >= strlen(end) && strcmp(name + len - strlen(end), end) == 0;
}
