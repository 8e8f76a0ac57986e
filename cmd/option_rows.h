/* The option tables as others need them: one row behind the other, and what a value may be. */
#ifndef TC_CMD_OPTION_ROWS_H
#define TC_CMD_OPTION_ROWS_H

#include <popt.h>
#include <stddef.h>

#include "command.h"

/* More than any command has. */
#define TC_OPTION_ROWS_MOST 64

struct tc_option_row {
	const char *group; /* "Input:" */
	const struct poptOption *option;
};

/* The options of a command in the order of its help; returns how many. */
size_t tc_option_rows(
	struct tc_option_row rows[TC_OPTION_ROWS_MOST], const struct tc_command *command);

/* The values of --format of a command, the first of them the default; none for others. */
struct tc_choices tc_option_formats(const struct tc_command *command);
/* The one that was asked for, or NULL: see tc_cli_choose(). */
const void *tc_option_format(const struct tc_cli *cli);

enum tc_option_value {
	TC_OPTION_NO_VALUE,
	TC_OPTION_FILE,
	TC_OPTION_DIRECTORY,
	TC_OPTION_WORDS, /* one of the words */
	TC_OPTION_OTHER, /* a number, or something else that nobody can complete */
};

/* What the value of an option is. For TC_OPTION_WORDS, words has them with spaces between; they are
 * cut at size. */
enum tc_option_value tc_option_value(char *words, size_t size, const struct tc_command *command,
	const struct poptOption *option, const struct tc_settings *settings);

#endif
