/* tracecoach export: a trace with what was found in it, for a trace viewer. */
#include "tracecoach/export.h"

#include <string.h>

#include "command.h"
#include "input.h"
#include "option_rows.h"
#include "output.h"
#include "tracecoach/import.h"

/* The trace is read twice, and its bytes are what is written. */
static int check_input(bool *as_perfetto, const struct tc_cli *cli)
{
	const char *const *format = tc_option_format(cli);

	if (!format)
		return TC_EXIT_USAGE;
	*as_perfetto = strcmp(*format, "perfetto") == 0;
	if (strcmp(cli->args[0], "-") == 0)
		return tc_cli_error(TC_EXIT_USAGE, "export: reads the trace twice, and standard "
						   "input can be read once: name a "
						   "file");
	if (tc_import_is_store(cli->ctx, cli->args[0]))
		return tc_cli_error(TC_EXIT_USAGE,
			"%s: a store does not have the bytes of the trace: name the trace",
			cli->args[0]);
	return 0;
}

static int export_trace(const struct tc_cli *cli, struct tc_export *trace, struct tc_output *output,
	bool as_perfetto)
{
	const struct tc_export_options options = {
		.least_gap_ns = cli->options->least_gap_us * INT64_C(1000),
		.as_perfetto = as_perfetto,
		.gzip = tc_cli_wants_gzip(cli)};
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;
	enum tc_status status = TC_OK;
	int code = tc_input_import(&store, &advice, cli, NULL);

	if (code == 0)
		status = tc_export_write(trace, store, advice, &options, tc_output_write, output);
	code = tc_cli_close_output(output, cli, code, status, NULL);
	tc_advice_free(advice);
	tc_store_close(store);
	return code;
}

int tc_cmd_export(struct tc_cli *cli)
{
	struct tc_export *trace = NULL;
	struct tc_output *output = NULL;
	bool as_perfetto = false;
	int code = check_input(&as_perfetto, cli);

	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0 && tc_export_open(&trace, cli->ctx, cli->args[0]) != TC_OK)
		code = tc_cli_fail(cli, true);
	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	if (code == 0)
		code = export_trace(cli, trace, output, as_perfetto);
	tc_export_close(trace);
	return code;
}
