/* tracecoach query: one SQL statement on a store, as a table, CSV or JSON. */
#include <string.h>

#include "command.h"
#include "core/alloc.h"
#include "input.h"
#include "output.h"
#include "result.h"

static int choose_format(const struct tc_result_format **out, const char *name)
{
	size_t count;
	const struct tc_result_format *formats = tc_result_formats(&count);
	const void *chosen;
	int code = tc_cli_choose(&chosen, "--format", name, formats, count, sizeof(*formats));

	if (code == 0)
		*out = chosen;
	return code;
}

static enum tc_status take_columns(void *user, const char *const *names, int count)
{
	struct tc_result *result = user;

	result->names = tc_calloc((size_t)count, sizeof(*result->names));
	if (!result->names)
		return TC_ERR_NOMEM;
	result->column_count = count;
	for (int i = 0; i < count; i++) {
		size_t size = strlen(names[i]) + 1;

		result->names[i] = tc_malloc(size);
		if (!result->names[i])
			return TC_ERR_NOMEM;
		memcpy(result->names[i], names[i], size);
	}
	result->format->begin(result);
	return TC_OK;
}

static enum tc_status take_row(void *user, const struct tc_value *values, int count)
{
	struct tc_result *result = user;

	(void)count;
	result->format->row(result, values);
	if (result->failed)
		return TC_ERR_NOMEM;
	return tc_sink_dead(result->sink) ? TC_ERR_IO : TC_OK;
}

/* Runs the query into the sink; the status of whatever failed first. */
static enum tc_status run(struct tc_cli *cli, struct tc_store *store, struct tc_result *result)
{
	struct tc_query_sink rows = {result, take_columns, take_row};
	enum tc_status status = tc_query_run(cli->ctx, store, cli->args[1], &rows);

	if (status == TC_OK) {
		result->format->end(result);
		status = result->failed ? TC_ERR_NOMEM : TC_OK;
	}
	if (status == TC_ERR_NOMEM && tc_ctx_status(cli->ctx) == TC_OK)
		tc_fail(cli->ctx, status, "query: out of memory");
	return status;
}

static int print_rows(
	struct tc_cli *cli, struct tc_store *store, const struct tc_result_format *format)
{
	struct tc_output output;
	struct tc_sink sink;
	struct tc_result result = {.sink = &sink, .format = format};
	enum tc_status status, written;
	int code = tc_output_open(&output, cli);

	if (code != 0)
		return code;
	tc_sink_init(&sink, tc_output_write, &output);
	sink.ctx = cli->ctx;
	status = run(cli, store, &result);
	written = tc_sink_close(&sink, cli->ctx);
	tc_result_clear(&result);
	if ((status != TC_OK || written != TC_OK) && !tc_output_failed(&output)) {
		code = tc_cli_fail(cli, true);
		tc_output_close(&output, true);
		return code;
	}
	return tc_output_close(&output, false);
}

int tc_cmd_query(struct tc_cli *cli)
{
	const struct tc_result_format *format;
	struct tc_store *store;
	int code = choose_format(&format, cli->options->format);

	if (code == 0)
		code = tc_output_check(cli);
	if (code == 0)
		code = tc_input_open_store(&store, cli);
	if (code != 0)
		return code;
	code = print_rows(cli, store, format);
	tc_store_close(store);
	return code;
}
