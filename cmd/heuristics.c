/* tracecoach heuristics: the list of them, or all there is to know about some. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "core/alloc.h"
#include "terminal.h"
#include "tracecoach/advice.h"

#define INDENT 2

static const char *kind_name(enum tc_heuristic_kind kind)
{
	return kind == TC_HEURISTIC_QUALITY ? "quality" : "fix";
}

static int list_all(void)
{
	size_t count;
	const struct tc_heuristic *const *all = tc_heuristics(&count);
	int id_width = 0;

	for (size_t i = 0; i < count; i++) {
		int len = (int)strlen(all[i]->id);

		id_width = len > id_width ? len : id_width;
	}
	for (size_t i = 0; i < count; i++)
		printf("%-*s  %-7s  %s\n", id_width, all[i]->id, kind_name(all[i]->kind),
			all[i]->title);
	puts("\n'tracecoach heuristics ID' explains one.");
	return TC_EXIT_DONE;
}

static void print_text(const char *heading, const char *text, int width)
{
	printf("\n%s\n", heading);
	tc_terminal_wrap(text, INDENT, width);
}

static void print_needs(const struct tc_heuristic *heuristic)
{
	printf("\nNeeds\n");
	if (!heuristic->needs[0])
		puts("  nothing: it looks at every trace");
	for (size_t i = 0; heuristic->needs[i]; i++)
		printf("  %s\n", heuristic->needs[i]);
}

static void print_params(const struct tc_param *params, int width)
{
	if (!params || !params->name)
		return;
	printf("\nThresholds\n");
	for (; params->name; params++) {
		printf("  %s = %.10g %s  (%.10g to %.10g)\n", params->name, params->value,
			params->unit, params->min, params->max);
		tc_terminal_wrap(params->help, INDENT + 4, width);
	}
}

/* The query as it stands in the source, but for blank lines at its ends. */
static void print_sql(const char *sql)
{
	size_t len = strlen(sql);

	while (len > 0 && (sql[len - 1] == '\n' || sql[len - 1] == ' '))
		len--;
	printf("\nQuery\n");
	while (len > 0) {
		const char *end = memchr(sql, '\n', len);
		size_t line = end ? (size_t)(end - sql) : len;

		printf(line > 0 ? "  %.*s\n" : "%.*s\n", (int)line, sql);
		sql += end ? line + 1 : line;
		len -= end ? line + 1 : line;
	}
}

static void explain(const struct tc_heuristic *heuristic, int width)
{
	printf("%s (%s)\n", heuristic->id, kind_name(heuristic->kind));
	tc_terminal_wrap(heuristic->title, INDENT, width);
	print_text("Why it matters", heuristic->why, width);
	print_text("What to do", heuristic->advice, width);
	print_needs(heuristic);
	print_params(heuristic->params, width);
	print_sql(heuristic->sql);
	print_text("Source", heuristic->source, width);
	printf("\nPage\n  docs/heuristics/%s.md\n", heuristic->id);
}

static int unknown_id(const char *id)
{
	size_t count;
	const struct tc_heuristic *const *all = tc_heuristics(&count);
	const char **names = tc_calloc(count + 1, sizeof(*names));
	const char *near;
	int code;

	for (size_t i = 0; names && i < count; i++)
		names[i] = all[i]->id;
	near = names ? tc_nearest(id, names, count) : NULL;
	if (near)
		code = tc_cli_error(
			TC_EXIT_USAGE, "%s: no such heuristic: did you mean '%s'?", id, near);
	else
		code = tc_cli_error(TC_EXIT_USAGE,
			"%s: no such heuristic: 'tracecoach heuristics' lists them", id);
	tc_free(names);
	return code;
}

int tc_cmd_heuristics(struct tc_cli *cli)
{
	int width = tc_terminal_width(STDOUT_FILENO, cli->options);

	if (cli->arg_count == 0)
		return list_all();
	for (size_t i = 0; i < cli->arg_count; i++) {
		const struct tc_heuristic *heuristic = tc_heuristic_find(cli->args[i]);

		if (!heuristic)
			return unknown_id(cli->args[i]);
		if (i > 0)
			putchar('\n');
		explain(heuristic, width);
	}
	return TC_EXIT_DONE;
}
