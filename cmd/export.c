/* tracecoach export: a trace with what was found in it, for a trace viewer. */
#include "tracecoach/export.h"

#include <string.h>

#include "command.h"
#include "input.h"
#include "output.h"

static struct {
	int least_gap_us;
} asked = {.least_gap_us = 100};

static struct poptOption result_rows[] = {
	TC_ROW_FORMAT("perfetto-json: the trace with tracks of ours (the default); perfetto: the "
		      "same, small"),
	TC_ROW_OUTPUT("Write the trace to FILE, compressed if that ends in .gz, in Perfetto's own "
		      "format if it is a .pftrace; - is standard output",
		"FILE"),
	TC_NUMBER("least-gap-us", '\0', asked.least_gap_us,
		"Leave out idle time shorter than N microseconds (default: 100)", "N"),
	TC_END};
struct poptOption tc_options_export[] = {TC_GROUP(tc_rows_input, "Input:"),
	TC_GROUP(result_rows, "Result:"), TC_GROUP(tc_rows_advice, "Advice:"),
	TC_GROUP(tc_rows_common, "Other:"), TC_END};

/* Whether the name is that of a trace in Perfetto's own format, compressed or not. */
static bool is_perfetto_name(const char *output)
{
	static const char *const ends[] = {".pftrace", ".perfetto-trace"};

	for (size_t i = 0; output && i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t len = strlen(output),
		       gz = len > 3 && strcmp(output + len - 3, ".gz") == 0 ? 3 : 0;
		size_t end = strlen(ends[i]);
		if (len - gz > end && strncmp(output + len - gz - end, ends[i], end) == 0)
			return true;
	}
	return false;
}

/* The trace is read twice, and its bytes are what is written. */
static int check_input(bool *as_perfetto, const struct tc_cli *cli)
{
	const char *const *format = tc_option_format(cli);

	if (!format)
		return TC_EXIT_USAGE;
	*as_perfetto =
		strcmp(*format, "perfetto") == 0 ||
		(!cli->options->report.format && is_perfetto_name(cli->options->report.output));
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
		.least_gap_ns = asked.least_gap_us * INT64_C(1000),
		.as_perfetto = as_perfetto,
		.gzip = tc_cli_wants_gzip(cli)};
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;
	struct tc_import_options import = tc_input_options(cli);

	import.advice = &advice;
	int code = tc_input_import(&store, cli, NULL, &import);

	if (code == 0)
		tc_export_write(trace, store, advice, &options, tc_output_write, output);
	code = tc_cli_close_output(output, cli, code, NULL);
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
