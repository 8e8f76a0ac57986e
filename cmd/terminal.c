#include "terminal.h"

#include <langinfo.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "tracecoach/report.h"
#include "tracecoach/text.h"

#define WIDTH_DEFAULT 80
/* Help and lists fit into less than a report. */
#define WIDTH_LEAST 20

bool tc_terminal_live(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

int tc_terminal_columns(int fd)
{
	const char *columns = getenv("COLUMNS");
	long width = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize size;

	if (width > 0)
		return width < SHRT_MAX ? (int)width : SHRT_MAX;
	if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return WIDTH_DEFAULT;
}

int tc_terminal_width(int fd, int wanted)
{
	int width = wanted > 0 ? wanted : tc_terminal_columns(fd);

	if (width < WIDTH_LEAST)
		return WIDTH_LEAST;
	return width > TC_REPORT_WIDTH_MOST ? TC_REPORT_WIDTH_MOST : width;
}

bool tc_terminal_ascii(const struct tc_options *options)
{
	return options->terminal.ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static bool is_shown;

void tc_terminal_show(const char *line)
{
	/* One column stays free, else some terminals wrap and the line cannot be erased. */
	char *clean = tc_text_line(line, tc_terminal_columns(STDERR_FILENO) - 1);

	fprintf(stderr, "\r\033[K%s", clean ? clean : "");
	fflush(stderr);
	free(clean);
	is_shown = true;
}

void tc_terminal_erase(void)
{
	if (is_shown)
		fputs("\r\033[K", stderr);
	is_shown = false;
}

void tc_terminal_wrap(FILE *file, const char *label, const char *text, int indent, int width)
{
	char *lines = tc_text_wrap(label, text, indent, width);

	if (lines)
		fputs(lines, file);
	else
		fprintf(file, "%s %s\n", label, text);
	free(lines);
}

int64_t tc_terminal_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
