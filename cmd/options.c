/*
 * The ranges of numbers, and the parser of options, which is popt's. Rows that several commands
 * have are in rows.c.
 */

#include "options.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecoach/text.h"

#include "command.h"
#include "terminal.h"

#define NOT_GIVEN LLONG_MIN /* of a step or rank: all negative numbers are none */

struct tc_options tc_given = {.report = {.step = NOT_GIVEN, .rank = NOT_GIVEN}};

static poptContext parser;
static const struct tc_command *parsed; /* its options may hold values */
static bool is_popt_at_work;

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
	const struct tc_option_row *rows, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(word, "--", 2) == 0 && strcmp(rows[i].option->longName, word + 2) == 0)
			return rows[i].option;
	return NULL;
}

/* Writes the names of the other commands that have the option: "'analyze', 'report'". */
static void whose_option(char *names, size_t size, const char *word)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	names[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(names);
		if (find_option(rows, tc_option_rows(rows, &commands[i]), word))
			snprintf(names + len, size - len, "%s'%s'", len > 0 ? ", " : "",
				commands[i].name);
	}
}

static int bad_option(const struct tc_command *command, const char **words, int error)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	const char *names[TC_OPTION_ROWS_MOST];
	const char *option = poptBadOption(parser, POPT_BADOPTION_NOALIAS);
	size_t count = tc_option_rows(rows, command);
	const struct poptOption *row;
	const char *near;
	char others[256];

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
	whose_option(others, sizeof(others), option);
	if (others[0])
		return tc_cli_error(TC_EXIT_USAGE,
			"%s: '%s' has no such option, only %s: see 'tracecoach %s --help'", option,
			command->name, others, command->name);
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

static bool is_option(const struct tc_option_row *rows, size_t count, const char *word)
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
static int check_value(const struct tc_option_row *rows, size_t count,
	const struct poptOption *option, const char *const *words)
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

/* Whether a word begins with the option: "--top", "--top=3", "-o", "-oFILE". */
static bool begins_with(const char *word, const struct poptOption *option)
{
	const char *end = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
	size_t len = end ? (size_t)(end - word) : strlen(word);

	if (strncmp(word, "--", 2) != 0)
		return option->shortName && word[0] == '-' && word[1] == option->shortName;
	return len - 2 == strlen(option->longName) &&
	       strncmp(word + 2, option->longName, len - 2) == 0;
}

/* Says which value counts of an option that takes one and is given twice, as by a wrapper. */
static void tell_last(const struct poptOption *option, const char *const *words)
{
	unsigned kind = option->argInfo & POPT_ARG_MASK;
	size_t count = 0;

	for (size_t i = 1; words[i] && strcmp(words[i], "--") != 0; i++)
		count += begins_with(words[i], option);
	if (count > 1 && kind != POPT_ARG_ARGV && kind != POPT_ARG_NONE)
		tc_cli_error(
			0, "--%s: given %zu times: the last one counts", option->longName, count);
}

static int check_values(const struct tc_command *command, const char *const *words)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);

	for (size_t i = 1; words[i] && strcmp(words[i], "--") != 0; i++)
		for (size_t k = 0; k < count; k++)
			if (check_value(rows, count, rows[k].option, &words[i]) != 0)
				return TC_EXIT_USAGE;
	for (size_t k = 0; k < count; k++)
		tell_last(rows[k].option, words);
	return 0;
}

static int check_numbers(const struct tc_command *command)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);

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

/* popt forgets the text of an option that is given again. */
static void free_earlier(const struct tc_option_row *rows, size_t count, char **texts)
{
	for (size_t i = 0; i < count; i++) {
		const struct poptOption *option = rows[i].option;
		if ((option->argInfo & POPT_ARG_MASK) != POPT_ARG_STRING)
			continue;
		char *text = *(char **)option->arg;
		if (text != texts[i])
			free(texts[i]);
		texts[i] = text;
	}
}

/* Without memory popt takes an option as if it had no value, and goes on. */
static int parse_words(const struct tc_command *command)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);
	char *texts[TC_OPTION_ROWS_MOST] = {NULL};
	int found;

	while ((found = poptGetNextOpt(parser)) == TC_HAS_VALUE) {
		char *value = poptGetOptArg(parser);
		if (!value)
			return POPT_ERROR_MALLOC;
		free(value);
		free_earlier(rows, count, texts);
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
		error = parse_words(command);
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

void tc_options_print(const struct tc_command *command)
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
