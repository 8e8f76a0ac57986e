/* See page.h. A block is gathered line by line and printed when another one starts. */
#include "page.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "terminal.h"
#include "tracecoach/catalogue.h"

#define INDENT 2
#define HEAD_END "<!-- end of the part made from heuristics/ID.sql -->\n"

enum block { HEADING, PARAGRAPH, ITEM, CODE };

struct printer {
	int width;
	enum block block, before; /* being gathered, and printed before it */
	struct tc_buf text;
};

/* Appends text without the targets of its links: "[gain.md](../gain.md)" is "gain.md". */
static void append_prose(struct tc_buf *buf, struct tc_text text)
{
	for (size_t i = 0; i < text.len; i++) {
		const char *middle = memchr(text.ptr + i, ']', text.len - i);
		const char *end =
			middle ? memchr(middle, ')', text.len - (size_t)(middle - text.ptr)) : NULL;

		if (text.ptr[i] != '[' || !end || middle[1] != '(') {
			tc_buf_append_char(buf, text.ptr[i]);
			continue;
		}
		tc_buf_append(buf, text.ptr + i + 1, (size_t)(middle - text.ptr) - i - 1);
		i = (size_t)(end - text.ptr);
	}
}

static void start(struct printer *printer, enum block block)
{
	const char *text = tc_buf_string(&printer->text);
	bool item = printer->block == ITEM;

	if (text && *text) {
		if (printer->before != HEADING && !(item && printer->before == ITEM))
			putchar('\n');
		tc_terminal_wrap(
			stdout, item ? "  -" : "", text, INDENT + (item ? 2 : 0), printer->width);
		printer->before = printer->block;
	}
	tc_buf_reset(&printer->text);
	printer->block = block;
}

static void take_code(struct printer *printer, struct tc_text line)
{
	if (tc_text_starts(line, TC_TEXT("```")))
		printer->block = PARAGRAPH;
	else if (line.len > 0)
		printf("%*s%.*s\n", 2 * INDENT, "", (int)line.len, line.ptr);
	else
		putchar('\n');
}

static void take_line(struct printer *printer, struct tc_text line)
{
	if (printer->block == CODE) {
		take_code(printer, line);
	} else if (tc_text_starts(line, TC_TEXT("```"))) {
		start(printer, CODE);
		putchar('\n');
		printer->before = CODE;
	} else if (tc_text_starts(line, TC_TEXT("## "))) {
		start(printer, PARAGRAPH);
		printf("\n%.*s\n", (int)line.len - 3, line.ptr + 3);
		printer->before = HEADING;
	} else if (line.len == 0) {
		start(printer, PARAGRAPH);
	} else if (tc_text_starts(line, TC_TEXT("- "))) {
		start(printer, ITEM);
		append_prose(&printer->text, (struct tc_text){line.ptr + 2, line.len - 2});
	} else {
		tc_buf_append_char(&printer->text, ' ');
		append_prose(&printer->text, line);
	}
}

static void print(const char *markdown, int width)
{
	struct printer printer = {.width = width, .block = PARAGRAPH, .before = HEADING};

	while (*markdown) {
		size_t len = strcspn(markdown, "\n");

		take_line(&printer, (struct tc_text){markdown, len});
		markdown += len + (markdown[len] == '\n');
	}
	start(&printer, PARAGRAPH);
	tc_buf_clear(&printer.text);
}

void tc_page_print(const char *id, int width)
{
	const char *page = tc_heuristic_page(id);
	const char *end = page ? strstr(page, HEAD_END) : NULL;

	if (end)
		print(end + strlen(HEAD_END), width);
}
