/*
 * Rows of options that several commands have, the ranges of numbers, and the parser, which is
 * popt's. See options.h for how a command adds its own.
 */
#include "options.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "help.h"
#include "terminal.h"
#include "tracecoach/compare.h"
#include "tracecoach/fleet_report.h"
#include "tracecoach/query.h"
#include "tracecoach/report.h"
#include "tracecoach/text.h"

struct tc_options tc_given = {.report = {.step = -1, .rank = -1}};

static poptContext parser;
static const struct tc_command *parsed; /* its options may hold values */
static bool is_popt_at_work;

#define WIDTHS DIGITS_OF(TC_REPORT_WIDTH_LEAST) " or more"
#define DIGITS_OF(number) DIGITS(number)
#define DIGITS(number) #number

/* How traces are read, by every command that reads some. */
#define READING                                                                                    \
	TC_ROW_NO_SIDE_FILES,                                                                      \
		TC_FLAG("strict", '\0', tc_given.input.strict,                                     \
			"Fail with exit code 3 when part of a trace was lost"),                    \
		TC_FLAG("one-thread", '\0', tc_given.input.one_thread,                             \
			"Read, decode and store on one thread; same result"),                      \
		TC_FLAG("timings", '\0', tc_given.input.timings,                                   \
			"Tell the CPU time of each stage, heuristic and table on stderr")
#define RULES                                                                                      \
	TC_TEXT("rules", '\0', tc_given.advice.rules,                                              \
		"Run the rules in DIR too: .sql files, see docs/user-rules.md", "DIR")
#define WIDTH                                                                                      \
	TC_NUMBER("width", '\0', tc_given.terminal.width,                                          \
		"Columns to fill, " WIDTHS " (default: the terminal's, else 80)", "N")
#define HELP TC_FLAG("help", 'h', tc_given.help, "Show this help")

struct poptOption tc_rows_input[] = {
	TC_LIST("trace", tc_given.input.traces,
		"Read this trace too (the same as naming it as an argument)", "FILE"),
	TC_LIST("with", tc_given.input.with,
		"Read this side file too: metrics, log or CSV of the Gaudi profiler", "FILE"),
	TC_LIST("capture", tc_given.input.captures,
		"Take operators of replayed graphs from this trace, which has their capture",
		"FILE"),
	TC_TEXT("device", '\0', tc_given.input.device,
		"Compare with the peaks of this device: H100, MI300X, ... (docs/hardware.md)",
		"NAME"),
	READING, TC_END};
struct poptOption tc_rows_trace[] = {READING, TC_END};
struct poptOption tc_rows_advice[] = {
	TC_LIST("only", tc_given.advice.only, "Run these heuristics only", "ID[,ID...]"),
	TC_LIST("skip", tc_given.advice.skip, "Leave these heuristics out", "ID[,ID...]"),
	TC_LIST("set", tc_given.advice.sets,
		"Set a threshold; 'tracecoach heuristics ID' lists them", "ID.PARAM=VALUE"),
	TC_TEXT("config", '\0', tc_given.advice.config,
		"Read such settings from an ini file: [ID], PARAM = VALUE", "FILE"),
	RULES, TC_END};
struct poptOption tc_rows_rules[] = {RULES, TC_END};
struct poptOption tc_rows_terminal[] = {WIDTH,
	TC_FLAG("no-color", '\0', tc_given.terminal.no_color,
		"No colours; so does NO_COLOR in the environment"),
	TC_FLAG("ascii", '\0', tc_given.terminal.ascii, "No characters beyond ASCII"), TC_END};
struct poptOption tc_rows_width[] = {WIDTH, TC_END};
struct poptOption tc_rows_common[] = {
	TC_FLAG("quiet", 'q', tc_given.terminal.quiet, "No progress line"), HELP, TC_END};
struct poptOption tc_rows_help[] = {HELP, TC_END};

static size_t add_rows(
	struct tc_option_row *rows, size_t count, const struct poptOption *table, const char *group)
{
	for (; table->longName || table->shortName || table->arg; table++) {
		if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
			count = add_rows(rows, count, table->arg, table->descrip);
		else if (count < TC_OPTION_ROWS_MOST)
			rows[count++] = (struct tc_option_row){group, table};
	}
	return count;
}

size_t tc_option_rows(
	struct tc_option_row rows[TC_OPTION_ROWS_MOST], const struct tc_command *command)
{
	return add_rows(rows, 0, command->options, "");
}

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
	if (command->run == tc_cmd_help)
		return tc_help_formats();
	return (struct tc_choices){NULL, 0, 0};
}

const void *tc_option_format(const struct tc_cli *cli)
{
	return tc_cli_choose(
		"--format", cli->options->report.format, tc_option_formats(cli->command));
}

/* popt names a value by itself when it is a word of its own; the option is the word before it. */
static int bad_value(const char **words, const char *value)
{
	size_t i = 1;

	while (words[i] && strcmp(words[i], value) != 0)
		i++;
	bool is_apart = words[i] && i > 1 && value[0] != '-';
	return tc_cli_error(TC_EXIT_USAGE, "%s%s%s: not a whole number in range: give one",
		is_apart ? words[i - 1] : "", is_apart ? " " : "", value);
}

static int bad_option(const struct tc_command *command, const char **words, int error)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	const char *names[TC_OPTION_ROWS_MOST];
	const char *option = poptBadOption(parser, POPT_BADOPTION_NOALIAS);
	size_t count = tc_option_rows(rows, command);
	const char *near;

	for (size_t i = 0; i < count; i++)
		names[i] = rows[i].option->longName;

	if (error == POPT_ERROR_BADNUMBER || error == POPT_ERROR_OVERFLOW)
		return bad_value(words, option);
	if (error != POPT_ERROR_BADOPT)
		return tc_cli_error(TC_EXIT_USAGE, "%s: %s: see 'tracecoach %s --help'", option,
			poptStrerror(error), command->name);
	near = strncmp(option, "--", 2) == 0 ? tc_nearest(option + 2, names, count) : NULL;
	if (near)
		return tc_cli_error(
			TC_EXIT_USAGE, "%s: unknown option: did you mean '--%s'?", option, near);
	return tc_cli_error(TC_EXIT_USAGE, "%s: unknown option: see 'tracecoach %s --help'", option,
		command->name);
}

/* The ranges of numbers, which popt cannot check. 0 is an option that was not given. */
static const struct {
	const char *name, *shown;
	long long least, most;
	const char *range;
} ranges[] = {
	{"top", "--top", 1, INT_MAX, "a number of rows, 0 for the default"},
	{"jobs", "--jobs", 1, 1024, "1 to 1024 processes"},
	{"max-cpu", "--max-cpu and --max-memory", 1, INT_MAX, "a number above 0"},
	{"max-memory", "--max-cpu and --max-memory", 1, INT_MAX, "a number above 0"},
	{"max-query", "--max-query", 1, INT_MAX, "a number of seconds"},
	{"least-gap-us", "--least-gap-us", 1, INT_MAX, "a number of microseconds"},
	{"step", "--step", -1, LLONG_MAX, "the number of a step"},
	{"rank", "--rank", -1, LLONG_MAX, "the number of a rank"},
	{"group-by", "--group-by", 1, INT_MAX, "a number of directories"},
	{"width", "--width", TC_REPORT_WIDTH_LEAST, INT_MAX, WIDTHS " columns"},
};

static long long number_of(const struct poptOption *option)
{
	return (option->argInfo & POPT_ARG_MASK) == POPT_ARG_LONGLONG
		       ? *(const long long *)option->arg
		       : *(const int *)option->arg;
}

static int check_numbers(const struct tc_command *command)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (size_t k = 0; k < count; k++) {
			if (strcmp(rows[k].option->longName, ranges[i].name) != 0)
				continue;
			long long number = number_of(rows[k].option);
			if (number != 0 && (number < ranges[i].least || number > ranges[i].most))
				return tc_cli_error(TC_EXIT_USAGE,
					"%s: number out of range: give %s", ranges[i].shown,
					ranges[i].range);
		}
	return 0;
}

/* Without memory popt ends the program with exit code 1, which is that of a gate. */
static void correct_exit(void)
{
	if (is_popt_at_work)
		_exit(tc_cli_error(TC_EXIT_INTERNAL, "out of memory"));
}

static void popt_begins(void)
{
	static bool is_registered;

	if (!is_registered)
		is_registered = atexit(correct_exit) == 0;
	is_popt_at_work = true;
}

/* Without memory popt takes an option as if it had no value, and goes on. */
static int parse_words(void)
{
	int found;

	while ((found = poptGetNextOpt(parser)) == TC_HAS_VALUE) {
		char *value = poptGetOptArg(parser);
		if (!value)
			return POPT_ERROR_MALLOC;
		free(value);
	}
	return found;
}

static int parse(const struct tc_command *command, int argc, const char **argv)
{
	int error = POPT_ERROR_MALLOC;

	parsed = command;
	popt_begins();
	parser = poptGetContext(NULL, argc, argv, command->options, 0);
	if (parser) {
		poptSetOtherOptionHelp(parser, command->usage);
		error = parse_words();
	}
	is_popt_at_work = false;
	/* No row lacks its place; popt says so, too, when it cannot make a list longer. */
	return error == POPT_ERROR_NULLARG ? POPT_ERROR_MALLOC : error;
}

int tc_options_parse(
	const char *const **args, const struct tc_command *command, int argc, const char **argv)
{
	static const char *const none[] = {NULL};
	const char **rest;
	int error = parse(command, argc, argv);

	if (error == POPT_ERROR_MALLOC)
		return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	if (error < -1)
		return bad_option(command, argv, error);
	rest = poptGetArgs(parser);
	*args = rest ? rest : none;
	return check_numbers(command);
}

void tc_options_print_help(const struct tc_command *command)
{
	popt_begins();
	poptPrintHelp(parser, stdout, 0);
	is_popt_at_work = false;
	char summary[160];
	snprintf(summary, sizeof(summary), "%s.", command->summary);
	putchar('\n');
	tc_terminal_wrap(stdout, "", summary, 0, tc_terminal_width(STDOUT_FILENO, 0));
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void tc_options_clear(void)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = parsed ? tc_option_rows(rows, parsed) : 0;

	poptFreeContext(parser);
	parser = NULL;
	for (size_t i = 0; i < count; i++) {
		unsigned type = rows[i].option->argInfo & POPT_ARG_MASK;
		if (type == POPT_ARG_STRING) {
			free(*(char **)rows[i].option->arg);
			*(char **)rows[i].option->arg = NULL;
		} else if (type == POPT_ARG_ARGV) {
			free_list(*(char ***)rows[i].option->arg);
			*(char ***)rows[i].option->arg = NULL;
		}
	}
	parsed = NULL;
}
