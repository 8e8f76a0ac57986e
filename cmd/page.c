/* See help.h. A block is gathered line by line and printed when another one starts. */
#include "help.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

#define INDENT 2
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

static void print(const char *markdown, int width)
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

void tc_page_print(const char *page, int width)
{
	const char *end = page ? strstr(page, HEAD_END) : NULL;

	if (end)
		print(end + strlen(HEAD_END), width);
}
