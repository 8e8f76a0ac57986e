/*
 * Option rows, and their parsing with popt. The tables are the one place that knows an option's
 * name, type and help. Values land in one static struct: a program has one command line.
 */
#include "options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "option_rows.h"
#include "terminal.h"
#include "tracecoach/report.h"
#include "tracecoach/text.h"

static struct tc_options values;
static poptContext parser;
static const struct tc_command *parsed; /* its options may hold values */
static bool is_popt_at_work;

#define FLAG(long_name, letter, field, help)                                                       \
	{                                                                                          \
		long_name, letter, POPT_ARG_NONE, &values.field, 0, help, NULL                     \
	}
#define TEXT(long_name, letter, field, help, word)                                                 \
	{                                                                                          \
		long_name, letter, POPT_ARG_STRING, &values.field, 0, help, word                   \
	}
#define NUMBER(long_name, letter, field, help, word)                                               \
	{                                                                                          \
		long_name, letter, POPT_ARG_INT, &values.field, 0, help, word                      \
	}
#define LONG_NUMBER(long_name, field, help)                                                        \
	{                                                                                          \
		long_name, '\0', POPT_ARG_LONGLONG, &values.field, 0, help, "N"                    \
	}
#define LIST(long_name, field, help, word)                                                         \
	{                                                                                          \
		long_name, '\0', POPT_ARG_ARGV, &values.field, 0, help, word                       \
	}
#define GROUP(rows, title)                                                                         \
	{                                                                                          \
		NULL, '\0', POPT_ARG_INCLUDE_TABLE, rows, 0, title, NULL                           \
	}
#define END POPT_TABLEEND
/* Rows that several commands have. */
#define KIND TEXT("format", 'f', format, "Kind of report, see below (default: text)", "NAME")
#define FILE_OF_REPORT                                                                             \
	TEXT("output", 'o', output, "Write the report to FILE; - is standard output", "FILE")
#define FAIL_ON                                                                                    \
	TEXT("fail-on", '\0', fail_on,                                                             \
		"Exit with 1 when a finding is at least this severe: high, medium or low",         \
		"SEVERITY")
#define RULES                                                                                      \
	TEXT("rules", '\0', rules, "Run the rules in DIR too: .sql files, see docs/user-rules.md", \
		"DIR")
/* How traces are read, by every command that reads some. */
#define READING                                                                                    \
	FLAG("no-side-files", '\0', no_side_files, "Do not look for side files beside traces"),    \
		FLAG("strict", '\0', strict,                                                       \
			"Fail with exit code 3 when part of a trace was lost"),                    \
		FLAG("one-thread", '\0', one_thread,                                               \
			"Read, decode and store on one thread; same result")

static struct poptOption input_group[] = {
	LIST("trace", traces, "Read this trace too (the same as naming it as an argument)", "FILE"),
	LIST("with", with, "Read this side file too: metrics, log or CSV of the Gaudi profiler",
		"FILE"),
	LIST("capture", captures,
		"Take operators of replayed graphs from this trace, which has their capture",
		"FILE"),
	READING, END};

static struct poptOption report_group[] = {KIND, FILE_OF_REPORT,
	NUMBER("top", '\0', top, "Show N findings, and N rows of each table (default: 5 and 10)",
		"N"),
	LONG_NUMBER("step", step, "Report this step only"),
	LONG_NUMBER("rank", rank, "Report this rank only (not for json)"),
	TEXT("json-level", '\0', json_level,
		"How much --format json says: summary, a few kilobytes, or full (default: full)",
		"LEVEL"),
	FLAG("details", '\0', details,
		"Show all tables and findings, and a report of each rank of a job"),
	FAIL_ON, END};

static struct poptOption explain_group[] = {
	TEXT("format", 'f', format, "text or md (default: text)", "NAME"), FILE_OF_REPORT,
	FLAG("sql", '\0', sql, "Show the query that returns the evidence, too"),
	LONG_NUMBER("rank", rank, "Report this rank only"), END};

static struct poptOption rules_group[] = {RULES, END};

static struct poptOption advice_group[] = {
	LIST("only", only, "Run these heuristics only", "ID[,ID...]"),
	LIST("skip", skip, "Leave these heuristics out", "ID[,ID...]"),
	LIST("set", sets, "Set a threshold; 'tracecoach heuristics ID' lists them",
		"ID.PARAM=VALUE"),
	TEXT("config", '\0', config, "Read such settings from an ini file: [ID], PARAM = VALUE",
		"FILE"),
	RULES, END};

#define WIDTHS DIGITS_OF(TC_REPORT_WIDTH_LEAST) " to " DIGITS_OF(TC_REPORT_WIDTH_MOST)
#define DIGITS_OF(number) DIGITS(number)
#define DIGITS(number) #number
#define WIDTH                                                                                      \
	{                                                                                          \
		"width", '\0', POPT_ARG_INT, &values.width, 0,                                     \
			"Columns to fill, " WIDTHS " (default: the terminal's, else 80)", "N"      \
	}

static struct poptOption width_group[] = {WIDTH, END};

static struct poptOption terminal_group[] = {WIDTH,
	FLAG("no-color", '\0', no_color, "No colours; so does NO_COLOR in the environment"),
	FLAG("ascii", '\0', ascii, "No characters beyond ASCII"), END};

static struct poptOption common_group[] = {FLAG("quiet", 'q', quiet, "No progress line"),
	FLAG("help", 'h', help, "Show this help"), END};

static struct poptOption store_group[] = {
	TEXT("db", '\0', db, "Keep the store in FILE (default: a temporary place)", "FILE"), END};

static struct poptOption import_group[] = {
	TEXT("output", 'o', output, "The store to make; one there is replaced", "STORE"),
	FLAG("again", '\0', again,
		"TRACE is a store, perhaps of an older version: read its traces again"),
	TEXT("index", '\0', index,
		"full: indexes by time, name and parent, for many questions about slices (default: "
		"lean)",
		"NAME"),
	END};

static struct poptOption query_group[] = {
	TEXT("file", '\0', file, "Read the SQL from FILE; - is standard input", "FILE"),
	FLAG("schema", '\0', schema,
		"List tables and views; with a name in place of SQL, what its columns mean"),
	LIST("attach", attached, "Ask this store too: its tables are NAME.TABLE", "NAME=STORE"),
	TEXT("format", 'f', format, "table, csv or json (default: table)", "NAME"),
	TEXT("output", 'o', output, "Write the rows to FILE; - is standard output", "FILE"), END};

static struct poptOption whatif_group[] = {
	LIST("fix", fixes, "Apply the fixes of these heuristics together", "ID[,ID...]"),
	LIST("remove", removes, "Take this work away: 'role=sync', see docs/edits.md", "WHAT"),
	LIST("scale", scales, "Leave this part of its time, 0 to 1: 'class=matrix_fp32=0.5'",
		"WHAT=PART"),
	LIST("nowait", nowaits, "Let these calls return without waiting: 'role=input_copy'",
		"WHAT"),
	LIST("no-wait-for-rank", late_ranks,
		"Let no collective wait for these ranks of a job, or 'late': those that are late",
		"N[,N...]"),
	END};

static struct poptOption whatif_report_group[] = {
	TEXT("format", 'f', format, "text or json (default: text)", "NAME"), FILE_OF_REPORT, END};

static struct poptOption export_group[] = {TEXT("format", 'f', format,
						   "perfetto-json: the trace with tracks of ours "
						   "(the default); perfetto: the same, small",
						   "NAME"),
	TEXT("output", 'o', output,
		"Write the trace to FILE, compressed if that ends in .gz; - is standard output",
		"FILE"),
	NUMBER("least-gap-us", '\0', least_gap_us,
		"Leave out idle time shorter than N microseconds (default: 100)", "N"),
	END};

static struct poptOption batch_group[] = {
	TEXT("output", 'o', output, "The directory for the index; what is in it goes on", "OUT"),
	FLAG("keep-stores", '\0', keep_stores,
		"Keep store, JSON report and page of each job, in OUT/jobs"),
	TEXT("shard", '\0', shard,
		"Read shard K of N, from 0; auto or auto/N: what Slurm or Kubernetes says", "K/N"),
	END};

static struct poptOption process_group[] = {
	NUMBER("jobs", 'j', jobs, "Read N jobs at once (default: one a core)", "N"),
	NUMBER("max-cpu", '\0', max_cpu, "Give up on a trace after so many seconds of CPU time",
		"SECONDS"),
	NUMBER("max-memory", '\0', max_memory,
		"Give up on a trace for which a process needs more memory", "MB"),
	FLAG("no-side-files", '\0', no_side_files, "Do not look for side files beside traces"),
	FLAG("one-thread", '\0', one_thread, "Read each job on one thread; same result"), END};

static struct poptOption mcp_group[] = {
	NUMBER("max-query", '\0', max_query, "Stop a query after so many seconds (default: 60)",
		"SECONDS"),
	END};

static struct poptOption merge_group[] = {
	TEXT("output", 'o', output, "The index to make; one there is replaced", "INDEX"), END};

static struct poptOption trace_group[] = {READING, END};

static struct poptOption cut_group[] = {
	TEXT("steps", '\0', steps, "Copy these steps, by their numbers: 4 or 3-5", "N[-M]"),
	TEXT("time", '\0', time,
		"Copy this time since the first slice: 1.2s-1.4s, in ns, us, ms or s", "FROM-TO"),
	TEXT("finding", '\0', finding,
		"Copy the place where this finding shows most: its number in the report, or its id",
		"FINDING"),
	TEXT("device", '\0', device, "Copy the work of this device, and what launched it", "N"),
	TEXT("output", 'o', output, "Write the trace to FILE, compressed when it ends in .gz",
		"FILE"),
	END};

#define ANYWAY FLAG("anyway", '\0', anyway, "Judge also what does not do the same work as before")

static struct poptOption compare_group[] = {KIND, FILE_OF_REPORT,
	NUMBER("top", '\0', top, "Show N rows of each table (default: 5)", "N"),
	FLAG("details", '\0', details,
		"Show host time, host slices, counts and the queries behind it, too"),
	LONG_NUMBER("rank", rank, "Compare the traces of this rank"),
	TEXT("fail-on-slower", '\0', fail_on_slower,
		"Exit with 1 when AFTER is slower by PCT percent or more, beyond step-to-step "
		"variation",
		"PCT"),
	ANYWAY, END};

static struct poptOption fleet_group[] = {KIND, FILE_OF_REPORT,
	TEXT("since", '\0', since, "Tell what changed since this earlier index", "INDEX"),
	NUMBER("group-by", '\0', group_by,
		"Show groups of jobs: those with the same N first directories", "N"),
	NUMBER("top", '\0', top, "Show N jobs (default: 12)", "N"),
	FLAG("details", '\0', details, "Name everything that was left out"), FAIL_ON,
	TEXT("fail-on-slower", '\0', fail_on_slower,
		"Exit with 1 when a job became slower by PCT percent or more, beyond what its "
		"steps vary by",
		"PCT"),
	ANYWAY, END};

static struct poptOption help_group[] = {FLAG("help", 'h', help, "Show this help"), END};

static struct poptOption manual_group[] = {
	TEXT("format", 'f', format,
		"text, man (the manual page of the command), or bash, zsh or fish (a script that "
		"completes command lines; default: text)",
		"NAME"),
	END};

struct poptOption tc_options_analyze[] = {GROUP(input_group, "Input:"),
	GROUP(store_group, "Store:"), GROUP(advice_group, "Advice:"),
	GROUP(report_group, "Report:"), GROUP(terminal_group, "Terminal:"),
	GROUP(common_group, "Other:"), END};
struct poptOption tc_options_explain[] = {GROUP(input_group, "Input:"),
	GROUP(advice_group, "Advice:"), GROUP(explain_group, "Report:"),
	GROUP(terminal_group, "Terminal:"), GROUP(common_group, "Other:"), END};
struct poptOption tc_options_import[] = {GROUP(input_group, "Input:"),
	GROUP(import_group, "Store:"), GROUP(advice_group, "Advice:"),
	GROUP(common_group, "Other:"), END};
struct poptOption tc_options_cut[] = {GROUP(trace_group, "Input:"), GROUP(cut_group, "Part:"),
	GROUP(common_group, "Other:"), END};
struct poptOption tc_options_compare[] = {GROUP(trace_group, "Input:"),
	GROUP(compare_group, "Report:"), GROUP(terminal_group, "Terminal:"),
	GROUP(common_group, "Other:"), END};
struct poptOption tc_options_batch[] = {GROUP(batch_group, "Index:"),
	GROUP(process_group, "Processes:"), GROUP(advice_group, "Advice:"),
	GROUP(common_group, "Other:"), END};
struct poptOption tc_options_merge[] = {
	GROUP(merge_group, "Index:"), GROUP(common_group, "Other:"), END};
struct poptOption tc_options_report[] = {GROUP(fleet_group, "Report:"),
	GROUP(terminal_group, "Terminal:"), GROUP(help_group, "Other:"), END};
struct poptOption tc_options_whatif[] = {GROUP(whatif_group, "What changes:"),
	GROUP(input_group, "Input:"), GROUP(advice_group, "Advice:"),
	GROUP(whatif_report_group, "Report:"), GROUP(common_group, "Other:"), END};
struct poptOption tc_options_export[] = {GROUP(input_group, "Input:"),
	GROUP(export_group, "Result:"), GROUP(advice_group, "Advice:"),
	GROUP(common_group, "Other:"), END};
struct poptOption tc_options_query[] = {GROUP(query_group, "Query:"),
	GROUP(width_group, "Terminal:"), GROUP(help_group, "Other:"), END};
struct poptOption tc_options_heuristics[] = {GROUP(rules_group, "Rules:"),
	GROUP(width_group, "Terminal:"), GROUP(help_group, "Other:"), END};
struct poptOption tc_options_mcp[] = {GROUP(mcp_group, "Answers:"), GROUP(advice_group, "Advice:"),
	GROUP(help_group, "Other:"), END};
struct poptOption tc_options_help[] = {
	GROUP(manual_group, "Result:"), GROUP(help_group, "Other:"), END};

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

/* An option whose number has a range that popt cannot check. */
static int check_numbers(const struct tc_options *given)
{
	const struct {
		bool is_bad;
		const char *option, *range;
	} checks[] = {
		{given->top < 0, "--top", "a number of rows, 0 for the default"},
		{given->jobs < 0 || given->jobs > 1024, "--jobs", "1 to 1024 processes"},
		{given->max_cpu < 0 || given->max_memory < 0, "--max-cpu and --max-memory",
			"a number above 0"},
		{given->max_query < 0, "--max-query", "a number of seconds"},
		{given->least_gap_us < 0, "--least-gap-us", "a number of microseconds"},
		{given->step < -1, "--step", "the number of a step"},
		{given->rank < -1, "--rank", "the number of a rank"},
		{given->group_by < 0, "--group-by", "a number of directories"},
		{given->width != 0 && (given->width < TC_REPORT_WIDTH_LEAST ||
					      given->width > TC_REPORT_WIDTH_MOST),
			"--width", WIDTHS " columns"},
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i].is_bad)
			return tc_cli_error(TC_EXIT_USAGE, "%s: number out of range: give %s",
				checks[i].option, checks[i].range);
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

static int parse(const struct tc_command *command, int argc, const char **argv)
{
	int error = POPT_ERROR_MALLOC;

	parsed = command;
	popt_begins();
	parser = poptGetContext(NULL, argc, argv, command->options, 0);
	if (parser) {
		poptSetOtherOptionHelp(parser, command->usage);
		error = poptGetNextOpt(parser);
	}
	is_popt_at_work = false;
	/* No row lacks its place; popt says so, too, when it cannot make a list longer. */
	return error == POPT_ERROR_NULLARG ? POPT_ERROR_MALLOC : error;
}

int tc_options_parse(const struct tc_options **out, const char *const **args,
	const struct tc_command *command, int argc, const char **argv)
{
	static const char *const none[] = {NULL};
	const char **rest;

	values.step = -1;
	values.rank = -1;
	values.least_gap_us = 100;
	int error = parse(command, argc, argv);
	if (error == POPT_ERROR_MALLOC)
		return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	if (error < -1)
		return bad_option(command, argv, error);
	rest = poptGetArgs(parser);
	*args = rest ? rest : none;
	*out = &values;
	return check_numbers(&values);
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
		if (type == POPT_ARG_STRING)
			free(*(char **)rows[i].option->arg);
		else if (type == POPT_ARG_ARGV)
			free_list(*(char ***)rows[i].option->arg);
	}
	memset(&values, 0, sizeof(values));
	parsed = NULL;
}
