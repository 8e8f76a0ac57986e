/* tracecoach heuristics: the list of them, or all there is to know about some, their page among it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "terminal.h"

#define INDENT 2

struct poptOption tc_options_heuristics[] = {TC_GROUP(tc_rows_rules, "Rules:"),
	TC_GROUP(tc_rows_width, "Terminal:"), TC_GROUP(tc_rows_help, "Other:"), TC_END};

/* A page on the terminal. A block is gathered line by line and printed when another one starts. Of
 * Markdown it knows what these pages use: sections, paragraphs, lists of one level, code and links.
 */
#define HEAD_END "<!-- end of the part made from heuristics/ID.sql -->\n"

enum block { HEADING, PARAGRAPH, ITEM, CODE };

struct printer {
	int width;
	enum block block, before; /* being gathered, and printed before it */
	char *text;               /* of the block; room for the whole page */
	size_t len;
};

/* Appends text without the targets of its links: "[gain.md](../gain.md)" is "gain.md". */
static void append_prose(struct printer *printer, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char *middle = memchr(text + i, ']', len - i);
		const char *end =
			middle ? memchr(middle, ')', len - (size_t)(middle - text)) : NULL;

		if (text[i] != '[' || !end || middle[1] != '(') {
			printer->text[printer->len++] = text[i];
			continue;
		}
		size_t words = (size_t)(middle - text) - i - 1;
		memcpy(printer->text + printer->len, text + i + 1, words);
		printer->len += words;
		i = (size_t)(end - text);
	}
}

static void start(struct printer *printer, enum block block)
{
	bool item = printer->block == ITEM;

	printer->text[printer->len] = '\0';
	if (printer->len > 0) {
		if (printer->before != HEADING && !(item && printer->before == ITEM))
			putchar('\n');
		tc_terminal_wrap(stdout, item ? "  -" : "", printer->text, INDENT + (item ? 2 : 0),
			printer->width);
		printer->before = printer->block;
	}
	printer->len = 0;
	printer->block = block;
}

static bool starts(const char *line, size_t len, const char *mark)
{
	return len >= strlen(mark) && memcmp(line, mark, strlen(mark)) == 0;
}

static void take_code(struct printer *printer, const char *line, size_t len)
{
	if (starts(line, len, "```"))
		printer->block = PARAGRAPH;
	else if (len > 0)
		printf("%*s%.*s\n", 2 * INDENT, "", (int)len, line);
	else
		putchar('\n');
}

static void take_line(struct printer *printer, const char *line, size_t len)
{
	if (printer->block == CODE) {
		take_code(printer, line, len);
	} else if (starts(line, len, "```")) {
		start(printer, CODE);
		putchar('\n');
		printer->before = CODE;
	} else if (starts(line, len, "## ")) {
		start(printer, PARAGRAPH);
		printf("\n%.*s\n", (int)len - 3, line + 3);
		printer->before = HEADING;
	} else if (len == 0) {
		start(printer, PARAGRAPH);
	} else if (starts(line, len, "- ")) {
		start(printer, ITEM);
		append_prose(printer, line + 2, len - 2);
	} else {
		printer->text[printer->len++] = ' ';
		append_prose(printer, line, len);
	}
}

static void print_blocks(const char *markdown, int width)
{
	struct printer printer = {.width = width, .block = PARAGRAPH, .before = HEADING};

	/* A line gives no more than its bytes and a blank in place of its end. */
	printer.text = malloc(strlen(markdown) + 2);
	if (!printer.text)
		return;
	while (*markdown) {
		size_t len = strcspn(markdown, "\n");

		take_line(&printer, markdown, len);
		markdown += len + (markdown[len] == '\n');
	}
	start(&printer, PARAGRAPH);
	free(printer.text);
}

/* Prints the sections of a heuristic's page that were written by hand, the text wrapped to width;
 * nothing when there is no page. */
static void print_page(const char *page, int width)
{
	const char *end = page ? strstr(page, HEAD_END) : NULL;

	if (end)
		print_blocks(end + strlen(HEAD_END), width);
}

static const char *kind_name(const struct tc_heuristic *heuristic)
{
	return heuristic->file ? "user" : tc_heuristic_kind_name(heuristic->kind);
}

static const struct {
	const char *kind, *heading;
} groups[] = {
	{"quality", "Quality of the trace itself"},
	{"fix", "Things to fix"},
	{"user", "Your rules"},
};

/* Column of the titles: behind the longest id. */
static int title_column(const struct tc_settings *settings)
{
	const struct tc_heuristic *heuristic;
	int column = 0;

	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++) {
		int len = INDENT + (int)strlen(heuristic->id) + 2;

		column = len > column ? len : column;
	}
	return column;
}

static void list_group(const struct tc_settings *settings, const char *kind, int column, int width)
{
	char *label = malloc((size_t)column + 1); /* as long as the longest id needs */
	const struct tc_heuristic *heuristic;

	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++) {
		if (strcmp(kind_name(heuristic), kind) != 0)
			continue;
		if (label)
			snprintf(label, (size_t)column + 1, "%*s%s", INDENT, "", heuristic->id);
		tc_terminal_wrap(
			stdout, label ? label : heuristic->id, heuristic->title, column, width);
	}
	free(label);
}

static bool has_kind(const struct tc_settings *settings, const char *kind)
{
	const struct tc_heuristic *heuristic;
	size_t at = 0;

	while ((heuristic = tc_heuristic_at(settings, at)) &&
		strcmp(kind_name(heuristic), kind) != 0)
		at++;
	return heuristic;
}

static int list_all(const struct tc_settings *settings, int width)
{
	int column = title_column(settings);

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (!has_kind(settings, groups[i].kind))
			continue;
		printf("%s\n", groups[i].heading);
		list_group(settings, groups[i].kind, column, width);
		putchar('\n');
	}
	puts("'tracecoach heuristics ID' explains one.");
	return TC_EXIT_DONE;
}

/* No trace is at hand: the terms of all vendors. */
static void print_text(const char *heading, const char *text, int width)
{
	char *filled = tc_heuristic_text(text);

	printf("\n%s\n", heading);
	tc_terminal_wrap(stdout, "", filled ? filled : text, INDENT, width);
	free(filled);
}

static void print_needs(const struct tc_heuristic *heuristic)
{
	printf("\nNeeds\n");
	if (!heuristic->needs[0])
		puts("  nothing: it applies to every trace");
	for (size_t i = 0; heuristic->needs[i]; i++)
		printf("  %s\n", heuristic->needs[i]);
}

static void print_params(const struct tc_heuristic *heuristic, int width)
{
	const struct tc_param *params = heuristic->params;

	if (!params->name && !heuristic->edits[0])
		return;
	printf("\nThresholds\n");
	if (heuristic->edits[0])
		tc_terminal_wrap(stdout, "",
			"advice.min_gain_pct, for all heuristics: what the fix wins, as a share of "
			"the wall time",
			INDENT, width);
	if (heuristic->always_if)
		printf("  Reported whatever the fix wins where the evidence has %s.\n",
			heuristic->always_if);
	for (; params->name; params++) {
		printf("  %s = %.10g %s  (%.10g to %.10g)\n", params->name, params->value,
			params->unit, params->min, params->max);
		tc_terminal_wrap(stdout, "", params->help, INDENT + 4, width);
	}
}

/* How far shares of the edits may lie from their values: no trace can tell them. */
static void print_ranges(const struct tc_heuristic *heuristic, int width)
{
	const struct tc_param_range *range = heuristic->ranges;

	if (range->param)
		printf("\nRanges of the gain\n");
	for (; range->param; range++) {
		printf("  %s  %.10g to %.10g\n", range->param, range->low, range->high);
		tc_terminal_wrap(stdout, "", range->source, INDENT + 4, width);
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
	printf("%s (%s)\n", heuristic->id, kind_name(heuristic));
	tc_terminal_wrap(stdout, "", heuristic->title, INDENT, width);
	print_text("Why it matters", heuristic->why, width);
	print_text("What to do", heuristic->advice, width);
	print_page(heuristic->page, width);
	print_needs(heuristic);
	print_params(heuristic, width);
	print_ranges(heuristic, width);
	print_sql(heuristic->sql);
	print_text("Source", heuristic->source, width);
	if (heuristic->file)
		printf("\nFile\n  %s\n", heuristic->file);
}

static int print(const struct tc_cli *cli)
{
	int width = tc_terminal_width(STDOUT_FILENO, cli->options->terminal.width);

	if (cli->arg_count == 0)
		return list_all(cli->settings, width);
	for (size_t i = 0; i < cli->arg_count; i++) {
		const struct tc_heuristic *heuristic;

		if (tc_heuristic_find(&heuristic, cli->ctx, cli->settings, cli->args[i]) != TC_OK)
			return tc_cli_fail(cli, false);
		if (i > 0)
			putchar('\n');
		explain(heuristic, width);
	}
	return TC_EXIT_DONE;
}

int tc_cmd_heuristics(struct tc_cli *cli)
{
	int code = tc_cli_settings(cli);

	return code == 0 ? print(cli) : code;
}
