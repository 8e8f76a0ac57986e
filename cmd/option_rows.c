#include "option_rows.h"

#include <stdio.h>
#include <string.h>

#include "help.h"
#include "tracecoach/compare.h"
#include "tracecoach/fleet_report.h"
#include "tracecoach/query.h"

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

const void *tc_option_format(const struct tc_cli *cli)
{
	return tc_cli_choose("--format", cli->options->format, tc_option_formats(cli->command));
}

static void add_word(char *words, size_t size, const char *word)
{
	size_t len = strlen(words);

	snprintf(words + len, size - len, "%s%s", len > 0 ? " " : "", word);
}

struct tc_choices tc_option_formats(const struct tc_command *command)
{
	/* Of a single finding no other report says anything. */
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

static void add_formats(char *words, size_t size, const struct tc_command *command)
{
	const struct tc_choices formats = tc_option_formats(command);

	for (size_t i = 0; i < formats.count; i++)
		add_word(words, size, *tc_choice_at(&formats, i));
}

static void add_heuristics(char *words, size_t size, const struct tc_settings *settings)
{
	const struct tc_heuristic *heuristic;

	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++)
		add_word(words, size, heuristic->id);
}

enum tc_option_value tc_option_value(char *words, size_t size, const struct tc_command *command,
	const struct poptOption *option, const struct tc_settings *settings)
{
	static const char *const files[] = {"FILE", "STORE", "INDEX", "OUT"};
	const char *what = option->argDescrip;

	words[0] = '\0';
	if ((option->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE)
		return TC_OPTION_NO_VALUE;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(what, files[i]) == 0)
			return TC_OPTION_FILE;
	}
	if (strcmp(what, "DIR") == 0)
		return TC_OPTION_DIRECTORY;
	if (strcmp(what, "SEVERITY") == 0)
		add_word(words, size, "high medium low");
	else if (strcmp(what, "LEVEL") == 0)
		add_word(words, size, "summary full");
	else if (strncmp(what, "ID[", 3) == 0)
		add_heuristics(words, size, settings);
	else if (strcmp(what, "NAME") == 0)
		add_formats(words, size, command);
	return words[0] ? TC_OPTION_WORDS : TC_OPTION_OTHER;
}
