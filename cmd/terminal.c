/* See terminal.h. */
#include "terminal.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80
#define WIDTH_LEAST 20
#define WIDTH_MOST 1000

bool tc_terminal_live(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool tc_terminal_color(int fd, const struct tc_options *options)
{
	const char *no_color = getenv("NO_COLOR");

	return !options->no_color && !(no_color && *no_color) && tc_terminal_live(fd);
}

static int clamp_width(long width)
{
	if (width < WIDTH_LEAST)
		return WIDTH_LEAST;
	return width > WIDTH_MOST ? WIDTH_MOST : (int)width;
}

int tc_terminal_width(int fd, const struct tc_options *options)
{
	const char *columns = getenv("COLUMNS");
	long width = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize size;

	if (options->width > 0)
		return options->width;
	if (width > 0)
		return clamp_width(width);
	if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return clamp_width(size.ws_col);
	return WIDTH_DEFAULT;
}

bool tc_terminal_ascii(const struct tc_options *options)
{
	return options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

void tc_terminal_wrap(const char *text, int indent, int width)
{
	const char *word = text;
	int column = 0;

	while (*(word += strspn(word, " \n"))) {
		int len = (int)strcspn(word, " \n");

		if (column > 0 && column + 1 + len > width) {
			putchar('\n');
			column = 0;
		}
		if (column == 0)
			column = printf("%*s%.*s", indent, "", len, word);
		else
			column += printf(" %.*s", len, word);
		word += len;
	}
	putchar('\n');
}
