/* tracecoach query: one SQL statement on a store or an index, as a table, CSV or JSON. */
#include "command.h"
#include "input.h"
#include "output.h"
#include "tracecoach/fleet.h"
#include "tracecoach/query.h"

static int choose_format(const struct tc_query_format **out, const char *name)
{
	size_t count;
	const struct tc_query_format *formats = tc_query_formats(&count);
	const void *chosen;
	int code = tc_cli_choose(&chosen, "--format", name, formats, count, sizeof(*formats));

	if (code == 0)
		*out = chosen;
	return code;
}

/* A store, or the index of a batch. */
static int open_database(struct tc_store **out, const struct tc_cli *cli)
{
	if (!tc_index_is(cli->args[0]))
		return tc_input_open_store(out, cli);
	return tc_index_open(out, cli->ctx, cli->args[0]) == TC_OK ? 0 : tc_cli_fail(cli, true);
}

static int print_rows(
	struct tc_cli *cli, const struct tc_query_format *format, struct tc_output *output)
{
	struct tc_store *store = NULL;
	int code = open_database(&store, cli);

	if (code != 0) {
		tc_output_close(output, TC_ERR_STORE);
		return code;
	}
	enum tc_status status =
		tc_query(cli->ctx, store, cli->args[1], format, tc_output_write, output);
	code = tc_output_close(output, status) == TC_OK ? 0
							: tc_cli_report_failed(cli, cli->args[0]);
	tc_store_close(store);
	return code;
}

int tc_cmd_query(struct tc_cli *cli)
{
	const struct tc_query_format *format;
	struct tc_output *output;
	int code = choose_format(&format, cli->options->format);

	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	return code == 0 ? print_rows(cli, format, output) : code;
}
