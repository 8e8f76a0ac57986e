/*
 * The ranges of numbers, and the parser of options, which is popt's. Then help, which is made of
 * the rows of options: those that several commands have are in rows.c.
 */

#include "options.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecoach/compare.h"
#include "tracecoach/fleet_report.h"
#include "tracecoach/query.h"
#include "tracecoach/settings.h"
#include "tracecoach/text.h"
#include "tracecoach/version.h"

#include "command.h"
#include "terminal.h"

#define NOT_GIVEN LLONG_MIN /* of a step or rank: all negative numbers are none */

struct tc_options tc_given = {.report = {.step = NOT_GIVEN, .rank = NOT_GIVEN}};

static poptContext parser;
static const struct tc_command *parsed; /* its options may hold values */
static bool is_popt_at_work;

/* More rows than any command has. */
#define OPTION_ROWS_MOST 64

struct option_row {
	const char *group; /* "Input:" */
	const struct poptOption *option;
};

static size_t add_rows(
	struct option_row *rows, size_t count, const struct poptOption *table, const char *group)
{
	for (; table->longName || table->shortName || table->arg; table++) {
		if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
			count = add_rows(rows, count, table->arg, table->descrip);
		else if (count < OPTION_ROWS_MOST)
			rows[count++] = (struct option_row){group, table};
	}
	return count;
}

/* The options of a command in the order of its help; returns how many. */
static size_t option_rows(
	struct option_row rows[OPTION_ROWS_MOST], const struct tc_command *command)
{
	return add_rows(rows, 0, command->options, "");
}

static struct tc_choices help_formats(void);

/* The values of --format of a command, the first of them the default; none for others. */
static struct tc_choices option_formats(const struct tc_command *command)
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
		return help_formats();
	return (struct tc_choices){NULL, 0, 0};
}

const char *tc_format_asked(const struct tc_cli *cli)
{
	const struct tc_choices formats = option_formats(cli->command);
	const char *output = cli->options->report.output;
	const char *suffix = output ? strrchr(output, '.') : NULL;

	if (cli->options->report.format)
		return cli->options->report.format;
	for (size_t i = 0; suffix && i < formats.count; i++)
		if (strcmp(suffix + 1, *tc_choice_at(&formats, i)) == 0)
			return *tc_choice_at(&formats, i);
	return NULL;
}

const void *tc_option_format(const struct tc_cli *cli)
{
	return tc_cli_choose("--format", tc_format_asked(cli), option_formats(cli->command));
}

static const struct {
	const char *name, *shown;
	long long least, most;
	const char *range;
} ranges[] = {
#define TC_RANGE(...) {__VA_ARGS__},
#include "ranges.def"
#undef TC_RANGE
};

enum { RANGE_COUNT = sizeof(ranges) / sizeof(ranges[0]) };

/* What to give for the option of len letters behind its "--". */
static const char *range_of(const char *name, size_t len)
{
	for (size_t i = 0; i < RANGE_COUNT; i++)
		if (strlen(ranges[i].name) == len && strncmp(ranges[i].name, name, len) == 0)
			return ranges[i].range;
	return "one";
}

/* popt names a value by itself when it is a word of its own; the option is the word before it. */
static int bad_value(const char **words, const char *value)
{
	size_t i = 1;

	while (words[i] && strcmp(words[i], value) != 0)
		i++;
	bool is_apart = words[i] && i > 1 && value[0] != '-';
	const char *name = is_apart ? words[i - 1] : value;
	name += strncmp(name, "--", 2) == 0 ? 2 : 0;
	return tc_cli_error(TC_EXIT_USAGE, "%s%s%s: not a whole number in range: give %s",
		is_apart ? words[i - 1] : "", is_apart ? " " : "", value,
		range_of(name, strcspn(name, "=")));
}

/* The row of an option "--name" among the rows of a command; NULL if it has none. */
static const struct poptOption *find_option(
	const struct option_row *rows, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(word, "--", 2) == 0 && strcmp(rows[i].option->longName, word + 2) == 0)
			return rows[i].option;
	return NULL;
}

/* The name of another command that has the option; NULL if none has. */
static const char *whose_option(const char *word)
{
	struct option_row rows[OPTION_ROWS_MOST];
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	for (size_t i = 0; i < count; i++)
		if (find_option(rows, option_rows(rows, &commands[i]), word))
			return commands[i].name;
	return NULL;
}

static int bad_option(const struct tc_command *command, const char **words, int error)
{
	struct option_row rows[OPTION_ROWS_MOST];
	const char *names[OPTION_ROWS_MOST];
	const char *option = poptBadOption(parser, POPT_BADOPTION_NOALIAS);
	size_t count = option_rows(rows, command);
	const struct poptOption *row;
	const char *near, *other;

	for (size_t i = 0; i < count; i++)
		names[i] = rows[i].option->longName;

	if (error == POPT_ERROR_BADNUMBER || error == POPT_ERROR_OVERFLOW)
		return bad_value(words, option);
	if (error == POPT_ERROR_NOARG && (row = find_option(rows, count, option)))
		return tc_cli_error(TC_EXIT_USAGE, "%s: no value: give it one: %s %s", option,
			option, row->argDescrip);
	if (error != POPT_ERROR_BADOPT)
		return tc_cli_error(TC_EXIT_USAGE, "%s: %s: see 'tracecoach %s --help'", option,
			poptStrerror(error), command->name);
	if ((other = whose_option(option)))
		return tc_cli_error(TC_EXIT_USAGE,
			"%s: '%s' has no such option, 'tracecoach %s' has: see 'tracecoach %s "
			"--help'",
			option, command->name, other, other);
	near = strncmp(option, "--", 2) == 0 ? tc_nearest(option + 2, names, count) : NULL;
	if (near)
		return tc_cli_error(
			TC_EXIT_USAGE, "%s: unknown option: did you mean '--%s'?", option, near);
	return tc_cli_error(TC_EXIT_USAGE, "%s: unknown option: see 'tracecoach %s --help'", option,
		command->name);
}

static long long number_of(const struct poptOption *option)
{
	return (option->argInfo & POPT_ARG_MASK) == POPT_ARG_LONGLONG
		       ? *(const long long *)option->arg
		       : *(const int *)option->arg;
}

/* Whether a word gives the option and no value: "--top=", or "--top" with the value as the next. */
static bool is_given(const struct poptOption *option, const char *word, const char *end)
{
	size_t len = strlen(option->longName);

	return strncmp(word, "--", 2) == 0 && strncmp(word + 2, option->longName, len) == 0 &&
	       strcmp(word + 2 + len, end) == 0;
}

static bool is_option(const struct option_row *rows, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++) {
		const struct poptOption *option = rows[i].option;
		const char letter[] = {'-', option->shortName, '\0'};
		if ((letter[1] && strcmp(word, letter) == 0) || is_given(option, word, ""))
			return true;
	}
	return false;
}

/* An option that lacks its value: popt takes a number without digits for 0, and the next option for
 * the value. */
static int check_value(const struct option_row *rows, size_t count, const struct poptOption *option,
	const char *const *words)
{
	int kind = option->argInfo & POPT_ARG_MASK;
	bool is_apart = kind != POPT_ARG_NONE && words[1] && is_given(option, words[0], "");
	bool is_empty = is_apart ? !words[1][0] : is_given(option, words[0], "=");

	if (is_apart && is_option(rows, count, words[1]))
		return tc_cli_error(TC_EXIT_USAGE,
			"--%s: no value: the next word, %s, is an option: give %s",
			option->longName, words[1], option->argDescrip);
	if ((kind != POPT_ARG_INT && kind != POPT_ARG_LONGLONG) || !is_empty)
		return 0;
	return tc_cli_error(TC_EXIT_USAGE, "--%s: no number: give %s", option->longName,
		range_of(option->longName, strlen(option->longName)));
}

static int check_values(const struct tc_command *command, const char *const *words)
{
	struct option_row rows[OPTION_ROWS_MOST];
	size_t count = option_rows(rows, command);

	for (size_t i = 1; words[i] && strcmp(words[i], "--") != 0; i++)
		for (size_t k = 0; k < count; k++)
			if (check_value(rows, count, rows[k].option, &words[i]) != 0)
				return TC_EXIT_USAGE;
	return 0;
}

static int check_numbers(const struct tc_command *command)
{
	struct option_row rows[OPTION_ROWS_MOST];
	size_t count = option_rows(rows, command);

	for (size_t i = 0; i < RANGE_COUNT; i++)
		for (size_t k = 0; k < count; k++) {
			if (strcmp(rows[k].option->longName, ranges[i].name) != 0)
				continue;
			long long number = number_of(rows[k].option);
			if (number != 0 && number != NOT_GIVEN &&
				(number < ranges[i].least || number > ranges[i].most))
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
	return check_values(command, argv) ? TC_EXIT_USAGE : check_numbers(command);
}

/* Prints usage, summary and options of the command whose line was parsed. */
static void print_help(const struct tc_command *command)
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
	struct option_row rows[OPTION_ROWS_MOST];
	size_t count = parsed ? option_rows(rows, parsed) : 0;

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

/*
 * ---- what is made of the rows of commands and options: the texts of --help, the manual page of a
 * command (roff with the macros of man(7)), and scripts that let a shell complete command lines
 */

static struct poptOption result_rows[] = {
	TC_ROW_FORMAT("text, man (the manual page of the command), or bash, zsh or fish (a script "
		      "that completes command lines; default: text)"),
	TC_END};
struct poptOption tc_options_help[] = {
	TC_GROUP(result_rows, "Result:"), TC_GROUP(tc_rows_help, "Other:"), TC_END};

/* Columns of the texts behind names and behind exit codes. */
#define NAME_COLUMN 15
#define CODE_COLUMN 7

static const struct {
	const char *code, *text;
} exit_codes[] = {
	{"0", "done"},
	{"1", "a finding reaches the severity of --fail-on, or a run is slower by "
	      "--fail-on-slower or more"},
	{"2", "wrong command line, SQL, setting or rule"},
	{"3", "no input can be used, --strict found damage, a gate (--fail-on, "
	      "--fail-on-slower) had nothing to judge or a check of it failed, or compare has "
	      "two runs that do not do the same work"},
	{"4", "the output cannot be written, memory ran out, or tracecoach has a bug"},
	{"5", "done, but an unusable input was left out and the others were read, or shards "
	      "are missing"},
	{"130", "interrupted"},
};

static void print_row(FILE *file, const char *name, const char *text, int column, int width)
{
	char label[32];

	snprintf(label, sizeof(label), "  %s", name);
	tc_terminal_wrap(file, label, text, column, width);
}

static void print_usage(FILE *file)
{
	int width = tc_terminal_width(fileno(file), 0);
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	tc_terminal_wrap(file, "",
		"tracecoach reads profiler traces of training and inference runs and says what to "
		"fix first.",
		0, width);
	fputs("\nUsage: tracecoach [OPTION...] TRACE...|STORE\n"
	      "       tracecoach COMMAND [OPTION...] [ARGUMENT...]\n\n"
	      "Commands:\n",
		file);
	for (size_t i = 0; i < count; i++)
		print_row(file, commands[i].name, commands[i].summary, NAME_COLUMN, width);
	fputs("\nWithout a command, tracecoach runs analyze.\n"
	      "'tracecoach COMMAND --help' shows the options of a command.\n",
		file);
}

void tc_help(FILE *file, bool all)
{
	int width = tc_terminal_width(fileno(file), 0);

	print_usage(file);
	if (!all)
		return;
	putchar('\n');
	tc_terminal_wrap(stdout, "",
		"A trace is a Chrome trace-event file as PyTorch's profiler writes it, plain or "
		"compressed with gzip or zstd; - is standard input. A directory means the "
		"traces in it. A file whose name is that of a command is written ./NAME.",
		0, width);
	putchar('\n');
	tc_terminal_wrap(stdout, "",
		"Pages called docs/NAME are in the source, and below share/doc/tracecoach of the "
		"place where tracecoach is installed.",
		0, width);
	puts("\nExit codes:");
	for (size_t i = 0; i < sizeof(exit_codes) / sizeof(exit_codes[0]); i++)
		print_row(stdout, exit_codes[i].code, exit_codes[i].text, CODE_COLUMN, width);
}

void tc_help_command(const struct tc_command *command)
{
	const struct tc_choices formats = option_formats(command);
	int width = tc_terminal_width(STDOUT_FILENO, 0);

	print_help(command);
	if (command->run != tc_cmd_analyze && command->run != tc_cmd_compare &&
		command->run != tc_cmd_report)
		return;
	puts("\nReports (--format):");
	for (size_t i = 0; i < formats.count; i++) {
		const char *const *format = tc_choice_at(&formats, i);
		print_row(stdout, format[0], format[1], NAME_COLUMN, width);
	}
}

/* A line that begins with a dot or an apostrophe would be a request; a plain hyphen would be one of
 * print. */
static void print_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static void print_option(const struct poptOption *option)
{
	printf(".TP\n.B ");
	if (option->shortName)
		printf("\\-%c, ", option->shortName);
	print_text("--");
	print_text(option->longName);
	if (option->argDescrip) {
		printf("\\fR=\\fI");
		print_text(option->argDescrip);
		printf("\\fR");
	}
	putchar('\n');
	print_text(option->descrip);
	puts(".");
}

static void print_options(const struct tc_command *command)
{
	struct option_row rows[OPTION_ROWS_MOST];
	size_t count = option_rows(rows, command);

	puts(".SH OPTIONS");
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(rows[i].group, rows[i - 1].group) != 0)
			printf(".SS \"%s\"\n", rows[i].group);
		print_option(rows[i].option);
	}
}

static void print_manual(const struct tc_command *command)
{
	printf(".TH TRACECOACH\\-%s 1 \"\" \"tracecoach %s\"\n", command->name, TC_VERSION);
	printf(".SH NAME\ntracecoach\\-%s \\- ", command->name);
	print_text(command->summary);
	printf("\n.SH SYNOPSIS\n.B tracecoach %s\n", command->name);
	print_text(command->usage);
	printf("\n.SH DESCRIPTION\n");
	print_text(command->summary);
	puts(".");
	print_options(command);
	puts(".SH SEE ALSO\n.BR tracecoach (1),\nwhich has the exit codes, files and environment.");
}

/* Room for the ids of all heuristics. */
#define WORDS_BYTES 8192

enum value {
	VALUE_NONE,
	VALUE_FILE,
	VALUE_DIRECTORY,
	VALUE_WORDS, /* one of the words */
	VALUE_OTHER, /* a number, or something else that nobody can complete */
};

static void add_word(char *words, size_t size, const char *word)
{
	size_t len = strlen(words);

	snprintf(words + len, size - len, "%s%s", len > 0 ? " " : "", word);
}

static void add_formats(char *words, size_t size, const struct tc_command *command)
{
	const struct tc_choices formats = option_formats(command);

	for (size_t i = 0; i < formats.count; i++)
		add_word(words, size, *tc_choice_at(&formats, i));
}

static void add_heuristics(char *words, size_t size, const struct tc_settings *settings)
{
	const struct tc_heuristic *heuristic;

	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++)
		add_word(words, size, heuristic->id);
}

/* The kind of value that an option takes. For VALUE_WORDS, words has them with spaces between; they
 * are cut at size. */
static enum value value_of(char *words, size_t size, const struct tc_command *command,
	const struct poptOption *option, const struct tc_settings *settings)
{
	static const char *const files[] = {"FILE", "STORE", "INDEX", "OUT"};
	const char *what = option->argDescrip;

	words[0] = '\0';
	if ((option->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE)
		return VALUE_NONE;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(what, files[i]) == 0)
			return VALUE_FILE;
	}
	if (strcmp(what, "DIR") == 0)
		return VALUE_DIRECTORY;
	if (strcmp(what, "SEVERITY") == 0)
		add_word(words, size, "high medium low");
	else if (strcmp(what, "LEVEL") == 0)
		add_word(words, size, "summary full");
	else if (strncmp(what, "ID[", 3) == 0)
		add_heuristics(words, size, settings);
	else if (strcmp(what, "NAME") == 0)
		add_formats(words, size, command);
	return words[0] ? VALUE_WORDS : VALUE_OTHER;
}

static void print_command_names(const char *separator)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	for (size_t i = 0; i < count; i++)
		printf("%s%s", i > 0 ? separator : "", commands[i].name);
}

/* Text between single quotes; escaped has the characters that the place needs a backslash
 * before. */
static void print_quoted(const char *text, const char *quote, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, stdout);
		else
			printf("%s%c", strchr(escaped, *text) ? "\\" : "", *text);
	}
}

/* Calls print with each option of a command, and with what its value is; words has the values to
 * choose from. */
static void each_option(const struct tc_command *command, const struct tc_settings *settings,
	void (*print)(const struct tc_command *command, const struct poptOption *option,
		enum value value, const char *words))
{
	struct option_row rows[OPTION_ROWS_MOST];
	size_t count = option_rows(rows, command);
	char words[WORDS_BYTES];

	for (size_t i = 0; i < count; i++)
		print(command, rows[i].option,
			value_of(words, sizeof(words), command, rows[i].option, settings), words);
}

static void print_bash_value(const struct tc_command *command, const struct poptOption *option,
	enum value value, const char *words)
{
	if (value == VALUE_NONE)
		return;
	printf("\t%s,--%s", command->name, option->longName);
	if (option->shortName)
		printf(" | %s,-%c", command->name, option->shortName);
	if (value == VALUE_WORDS)
		printf(") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", words);
	else if (value == VALUE_OTHER)
		puts(") return ;;");
	else
		printf(") COMPREPLY=($(compgen -%c -- \"$cur\")); return ;;\n",
			value == VALUE_DIRECTORY ? 'd' : 'f');
}

static void print_bash_options(const struct tc_command *command)
{
	struct option_row rows[OPTION_ROWS_MOST];
	size_t count = option_rows(rows, command);

	printf("\t%s,-*) COMPREPLY=($(compgen -W '", command->name);
	for (size_t i = 0; i < count; i++)
		printf("%s--%s", i > 0 ? " " : "", rows[i].option->longName);
	puts("' -- \"$cur\")) ;;");
}

static void complete_bash(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	puts("# Completion of tracecoach for bash.\n"
	     "_tracecoach() {\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
	     "command=analyze\n"
	     "\tCOMPREPLY=()\n"
	     "\t# --option=value is three words to bash.\n"
	     "\tif [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
	     "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
	     "\tif ((COMP_CWORD > 1)); then");
	printf("\t\tcase ${COMP_WORDS[1]} in\n\t\t");
	print_command_names(" | ");
	puts(") command=${COMP_WORDS[1]} ;;\n\t\tesac\n\tfi\n\tcase $command,$prev in");
	for (size_t i = 0; i < count; i++)
		each_option(&commands[i], settings, print_bash_value);
	puts("\tesac\n\tcase $command,$cur in");
	for (size_t i = 0; i < count; i++)
		print_bash_options(&commands[i]);
	puts("\t*)\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))");
	printf("\t\tif ((COMP_CWORD == 1)); then COMPREPLY+=($(compgen -W '");
	print_command_names(" ");
	puts("' -- \"$cur\")); fi\n\t\t;;\n\tesac\n}\n"
	     "complete -o filenames -F _tracecoach tracecoach");
}

static void print_zsh_option(const struct tc_command *command, const struct poptOption *option,
	enum value value, const char *words)
{
	static const char *const actions[] = {
		[VALUE_FILE] = "_files", [VALUE_DIRECTORY] = "_files -/", [VALUE_OTHER] = " "};

	(void)command;
	for (int is_short = 0; is_short <= (option->shortName ? 1 : 0); is_short++) {
		printf(" \\\n\t\t'*");
		if (is_short)
			printf("-%c", option->shortName);
		else
			printf("--%s", option->longName);
		if (value != VALUE_NONE)
			putchar(is_short ? '+' : '=');
		putchar('[');
		print_quoted(option->descrip, "'\\''", "[]\\");
		putchar(']');
		if (value == VALUE_WORDS)
			printf(":%s:(%s)", option->longName, words);
		else if (value != VALUE_NONE)
			printf(":%s:%s", option->longName, actions[value]);
		putchar('\'');
	}
}

static void complete_zsh(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	puts("#compdef tracecoach\n# Completion of tracecoach for zsh.\n"
	     "local command=analyze at=1\nlocal -a commands=(");
	for (size_t i = 0; i < count; i++) {
		printf("\t'%s:", commands[i].name);
		print_quoted(commands[i].summary, "'\\''", ":\\");
		puts("'");
	}
	puts(")\nif (( CURRENT == 2 )); then\n\t_describe -t commands command commands\nfi");
	printf("case $words[2] in\n");
	print_command_names(" | ");
	puts(") (( CURRENT > 2 )) && command=$words[2] at=2 ;;\nesac\n"
	     "(( at == 2 )) && shift words && (( CURRENT-- ))\ncase $command in");
	for (size_t i = 0; i < count; i++) {
		printf("%s)\n\t_arguments -s", commands[i].name);
		each_option(&commands[i], settings, print_zsh_option);
		puts(" \\\n\t\t'*:file:_files'\n\t;;");
	}
	puts("esac");
}

static void print_fish_option(const struct tc_command *command, const struct poptOption *option,
	enum value value, const char *words)
{
	/* Without a command, tracecoach runs analyze. */
	printf("complete -c tracecoach -n '%s%s' -l %s",
		command->run == tc_cmd_analyze
			? "not __fish_seen_subcommand_from $tracecoach_others"
			: "__fish_seen_subcommand_from ",
		command->run == tc_cmd_analyze ? "" : command->name, option->longName);
	if (option->shortName)
		printf(" -s %c", option->shortName);
	if (value == VALUE_FILE)
		printf(" -r -F");
	else if (value == VALUE_DIRECTORY)
		printf(" -x -a '(__fish_complete_directories)'");
	else if (value == VALUE_WORDS)
		printf(" -x -a '%s'", words);
	else if (value == VALUE_OTHER)
		printf(" -x");
	printf(" -d '");
	print_quoted(option->descrip, "\\'", "\\");
	puts("'");
}

static void complete_fish(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	printf("# Completion of tracecoach for fish.\nset -g tracecoach_others");
	for (size_t i = 0; i < count; i++) {
		if (commands[i].run != tc_cmd_analyze)
			printf(" %s", commands[i].name);
	}
	putchar('\n');
	for (size_t i = 0; i < count; i++) {
		printf("complete -c tracecoach -n __fish_use_subcommand -a %s -d '",
			commands[i].name);
		print_quoted(commands[i].summary, "\\'", "\\");
		puts("'");
		each_option(&commands[i], settings, print_fish_option);
	}
}

/* Sets *out, or prints that there is no such command and returns an exit code. */
static int find_command(const struct tc_command **out, const char *name)
{
	const char *near = tc_command_nearest(name);

	*out = tc_command_find(name);
	if (*out)
		return 0;
	if (near)
		return tc_cli_error(
			TC_EXIT_USAGE, "%s: no such command: did you mean '%s'?", name, near);
	return tc_cli_error(
		TC_EXIT_USAGE, "%s: no such command: 'tracecoach help' lists them", name);
}

static int explain_command(const char *name)
{
	const struct tc_command *command;
	const char *const *args;
	char title[64];
	const char *argv[] = {title, NULL};
	int code = find_command(&command, name);

	if (code != 0)
		return code;
	tc_options_clear();
	snprintf(title, sizeof(title), "tracecoach %s", command->name);
	code = tc_options_parse(&args, command, 1, argv);
	if (code == 0)
		tc_help_command(command);
	return code;
}

static int explain_in_man(const char *name)
{
	const struct tc_command *command;

	if (!name)
		return tc_cli_error(TC_EXIT_USAGE, "help --format man: name a command");
	int code = find_command(&command, name);
	if (code == 0)
		print_manual(command);
	return code;
}

static int print_script(
	struct tc_cli *cli, void (*print)(const struct tc_settings *settings), const char *name)
{
	if (name)
		return tc_cli_error(TC_EXIT_USAGE,
			"help --format %s: the script has all commands: leave out %s",
			cli->options->report.format, name);
	int code = tc_cli_settings(cli); /* for the ids of the heuristics */
	if (code == 0)
		print(cli->settings);
	return code;
}

static const struct shell {
	const char *name;
	void (*print)(const struct tc_settings *settings);
} shells[] = {{"text", NULL}, {"man", NULL}, {"bash", complete_bash}, {"zsh", complete_zsh},
	{"fish", complete_fish}};

static struct tc_choices help_formats(void)
{
	return TC_CHOICES_OF(shells);
}

int tc_cmd_help(struct tc_cli *cli)
{
	const char *name = cli->args[0];
	const struct shell *shell = tc_option_format(cli);

	if (!shell)
		return TC_EXIT_USAGE;
	if (shell->print)
		return print_script(cli, shell->print, name);
	if (shell == &shells[1])
		return explain_in_man(name);
	if (name)
		return explain_command(name);
	tc_help(stdout, true);
	return TC_EXIT_DONE;
}
