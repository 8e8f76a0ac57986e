#include "help.h"

#include <stdio.h>
#include <string.h>

#include "option_rows.h"
#include "tracecoach/version.h"

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
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);

	puts(".SH OPTIONS");
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(rows[i].group, rows[i - 1].group) != 0)
			printf(".SS \"%s\"\n", rows[i].group);
		print_option(rows[i].option);
	}
}

void tc_manual_print(const struct tc_command *command)
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
