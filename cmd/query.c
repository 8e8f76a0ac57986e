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

static int print_rows(
	struct tc_cli *cli, struct tc_store *store, const struct tc_query_format *format)
{
	struct tc_output output;
	int code = tc_output_open(&output, cli);

	if (code != 0)
		return code;
	if (tc_query(cli->ctx, store, cli->args[1], format, tc_output_write, &output) != TC_OK &&
		!tc_output_failed(&output)) {
		code = tc_cli_fail(cli, true);
		tc_output_close(&output, true);
		return code;
	}
	return tc_output_close(&output, false);
}

/* A store, or the index of a batch. */
static int open_database(struct tc_store **out, const struct tc_cli *cli)
{
	if (!tc_index_is(cli->args[0]))
		return tc_input_open_store(out, cli);
	return tc_index_open(out, cli->ctx, cli->args[0]) == TC_OK ? 0 : tc_cli_fail(cli, true);
}

int tc_cmd_query(struct tc_cli *cli)
{
	const struct tc_query_format *format;
	struct tc_store *store;
	int code = choose_format(&format, cli->options->format);

	if (code == 0)
		code = tc_output_check(cli);
	if (code == 0)
		code = open_database(&store, cli);
	if (code != 0)
		return code;
	code = print_rows(cli, store, format);
	tc_store_close(store);
	return code;
}
