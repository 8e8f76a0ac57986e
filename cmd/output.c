/* Where results go, and the gates: options that make a command fail when a report says something
 * bad. */
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "input.h"
#include "terminal.h"
#include "tracecoach/advice.h"
#include "tracecoach/compare.h"
#include "tracecoach/fleet_report.h"
#include "tracecoach/query.h"

struct tc_choices tc_option_formats(const struct tc_command *command)
{
	/* No other report is about a single finding. */
	static const char *const of_a_finding[] = {"text", "md"};
	static const char *const of_a_trace[] = {"perfetto-json", "perfetto"};
	static const char *const of_a_replay[] = {"text", "json"};
	size_t count;
	const struct tc_renderer *reports = tc_renderers(&count);

	if (command->run == tc_cmd_analyze)
		return (struct tc_choices){reports, count, sizeof(*reports)};
	const struct tc_compare_format *comparisons = tc_compare_formats(&count);
	if (command->run == tc_cmd_compare)
		return (struct tc_choices){comparisons, count, sizeof(*comparisons)};
	const struct tc_fleet_format *pages = tc_fleet_formats(&count);
	if (command->run == tc_cmd_report)
		return (struct tc_choices){pages, count, sizeof(*pages)};
	const struct tc_query_format *results = tc_query_formats(&count);
	if (command->run == tc_cmd_query)
		return (struct tc_choices){results, count, sizeof(*results)};
	if (command->run == tc_cmd_explain)
		return TC_CHOICES_OF(of_a_finding);
	if (command->run == tc_cmd_export)
		return TC_CHOICES_OF(of_a_trace);
	if (command->run == tc_cmd_whatif)
		return TC_CHOICES_OF(of_a_replay);
	return (struct tc_choices){NULL, 0, 0};
}

/* "json" of "out/report.json"; "" without one. */
static const char *output_ending(const struct tc_cli *cli)
{
	const char *output = cli->options->report.output;
	const char *slash = output ? strrchr(output, '/') : NULL;
	const char *name = slash ? slash + 1 : output;
	const char *dot = name ? strrchr(name, '.') : NULL;

	return dot && dot > name ? dot + 1 : "";
}

const char *tc_format_asked(const struct tc_cli *cli)
{
	const struct tc_choices formats = tc_option_formats(cli->command);
	const char *ending = output_ending(cli);

	if (cli->options->report.format)
		return cli->options->report.format;
	for (size_t i = 0; i < formats.count; i++)
		if (strcasecmp(ending, *tc_choice_at(&formats, i)) == 0)
			return *tc_choice_at(&formats, i);
	return NULL;
}

/* Says which format is written where the name of the output ends in what is none of them. */
static void tell_format(const struct tc_cli *cli)
{
	const struct tc_choices formats = tc_option_formats(cli->command);
	const char *ending = output_ending(cli);

	/* A trace is what it is called, however it ends. */
	if (cli->options->terminal.quiet || cli->command->run == tc_cmd_export ||
		formats.count == 0 || tc_format_asked(cli) || !*ending ||
		strcasecmp(ending, "txt") == 0)
		return;
	tc_cli_error(0, "%s: written as %s, because %s has no format %s; --format NAME chooses one",
		cli->options->report.output,
		cli->perf_tool ? "perf-tool" : *tc_choice_at(&formats, 0), cli->command->name,
		ending);
}

const void *tc_option_format(const struct tc_cli *cli)
{
	return tc_cli_choose("--format", tc_format_asked(cli), tc_option_formats(cli->command));
}

int tc_cli_open_output(struct tc_output **out, const struct tc_cli *cli)
{
	const struct tc_import_options options = tc_input_options(cli);

	/* No hour of reading shall end in a name that cannot be used. */
	if (tc_import_expect(cli->ctx, cli->args, cli->arg_count, &options) != TC_OK ||
		tc_output_open(out, cli->ctx, cli->options->report.output,
			cli->options->input.db) != TC_OK)
		return tc_cli_fail(cli, false);
	tell_format(cli);
	return 0;
}

/* Prints it for a report of a store that the user named, NULL for a trace: what is wrong with the
 * contents of that store is not our fault. */
static int report_failed(const struct tc_cli *cli, const char *store)
{
	if (!store || tc_ctx_status(cli->ctx) != TC_ERR_STORE)
		return tc_cli_fail(cli, false);
	return tc_cli_error(TC_EXIT_INPUT,
		"%s is damaged or was changed by hand; import the trace again: %s", store,
		tc_ctx_error(cli->ctx));
}

int tc_cli_close_output(
	struct tc_output *output, const struct tc_cli *cli, int code, const char *store)
{
	enum tc_status result =
		tc_output_close(output, code == 0 ? tc_ctx_status(cli->ctx) : TC_ERR_INPUT);

	return code == 0 && result != TC_OK ? report_failed(cli, store) : code;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

/* Whether colours are wanted on fd: a terminal that is not dumb, and no option or variable
 * refuses them. */
static bool terminal_color(int fd, const struct tc_options *options)
{
	const char *no_color = getenv("NO_COLOR");

	if (options->terminal.no_color || (no_color && *no_color))
		return false;
	return is_set("FORCE_COLOR") || is_set("CLICOLOR_FORCE") || tc_terminal_live(fd);
}

struct tc_report_options tc_cli_report_options(const struct tc_cli *cli, struct tc_output *output)
{
	const struct tc_options *options = cli->options;
	int fd = tc_output_fd(output);

	return (struct tc_report_options){
		.color = terminal_color(fd, options),
		.ascii = tc_terminal_ascii(options),
		.width = tc_terminal_width(fd, options->terminal.width),
		.top = options->report.top,
		.has_step = options->report.step >= 0,
		.has_rank = options->report.rank >= 0,
		.step = options->report.step,
		.rank = options->report.rank,
		.details = options->report.details != 0,
		.anyway = options->report.anyway != 0,
		.inputs = cli->args,
		.input_count = cli->arg_count,
	};
}

bool tc_cli_wants_gzip(const struct tc_cli *cli)
{
	static const char end[] = ".gz";
	const char *name = cli->options->report.output;
	size_t len = name ? strlen(name) : 0;

	return len >= strlen(end) && strcmp(name + len - strlen(end), end) == 0;
}

int tc_gate_severity(int *least, const char *text)
{
	const char *names[TC_SEVERITY_HIGH + 1 - TC_SEVERITY_LOW];

	*least = TC_SEVERITY_HIGH + 1;
	if (!text)
		return 0;
	for (int i = TC_SEVERITY_LOW; i <= TC_SEVERITY_HIGH; i++)
		names[i - TC_SEVERITY_LOW] = tc_severity_name((enum tc_severity)i);
	const char *const *name = tc_cli_choose("--fail-on", text, TC_CHOICES_OF(names));
	if (name)
		*least = TC_SEVERITY_LOW + (int)(name - names);
	return name ? 0 : TC_EXIT_USAGE;
}

int tc_gate_slower(struct tc_slower_limit *limit, const char *text)
{
	char *end = NULL;

	*limit = (struct tc_slower_limit){text != NULL, text ? strtod(text, &end) : 0};
	if (text && (end == text || *end || !(limit->pct >= 0) || isinf(limit->pct)))
		return tc_cli_error(TC_EXIT_USAGE,
			"--fail-on-slower %s: not a percentage: give a number, 0 or more", text);
	return 0;
}
