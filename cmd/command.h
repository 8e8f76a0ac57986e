/*
 * The base of all commands: their rows in commands.def, the parsed command line, the context of
 * the library, error lines, exit codes, and lists of strings. A command is one file with its
 * options (options.h) and its function tc_cmd_NAME().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "tracecoach/context.h"
#include "tracecoach/settings.h"

/* The exit codes, as README.md and the man page list them. */
enum tc_exit {
	TC_EXIT_DONE = 0,
	TC_EXIT_FAIL_ON = 1,
	TC_EXIT_USAGE = 2,
	TC_EXIT_INPUT = 3,
	TC_EXIT_INTERNAL = 4,
	TC_EXIT_LEFT_OUT = 5, /* done, but an input was left out */
	TC_EXIT_INTERRUPTED = 130,
};

#define TC_MANY SIZE_MAX

/* A growing list of strings that it owns. */
struct tc_strings {
	char **items; /* NULL at the end; NULL without any */
	size_t count, capacity;
};

/* Adds a copy. Returns 0, or -1 with everything unchanged when memory is out. */
int tc_strings_add(struct tc_strings *strings, const char *string);
void tc_strings_clear(struct tc_strings *strings); /* frees; ready for use again */

/* Inputs that were left out while the others were read; main.c names them at the end. */
struct tc_left_out {
	struct tc_strings reasons; /* each names its input */
	bool failed;               /* memory ran out */
	bool are_all;              /* nothing else was read */
};

struct tc_cli {
	const struct tc_command *command;
	const struct tc_options *options;
	struct tc_ctx *ctx;
	const char *const *args; /* --trace values first, then the arguments; NULL at the end */
	size_t arg_count;
	struct tc_settings *settings; /* see tc_cli_settings(); freed when the command ends */
	struct tc_left_out left_out;  /* filled while the inputs are read */
	bool perf_tool;               /* running under the name habana_perf_tool */
};

struct tc_command {
	const char *name;
	int (*run)(struct tc_cli *cli); /* returns an enum tc_exit */
	struct poptOption *options;
	const char *usage;
	const char *summary;
	size_t least, most; /* arguments, those of --trace among them */
	bool forks;         /* it makes processes of its own */
};

/* The rows of commands.def, *count of them. */
const struct tc_command *tc_commands(size_t *count);
const struct tc_command *tc_command_find(const char *name); /* or NULL */
/* The command whose name is nearest to a mistyped word, NULL when none is near. */
const char *tc_command_nearest(const char *word);

/* Prints "tracecoach: <message>" on stderr as one line and returns code. */
int tc_cli_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Prints the error chain of the context and returns the exit code that goes with it. given says
 * that the failing file is one that the user named as input, so that it is at fault, not we.
 */
int tc_cli_fail(const struct tc_cli *cli, bool given);
/* Reads rules and settings as the options say, into cli. Returns 0, or prints what is wrong and
 * returns an exit code. */
int tc_cli_settings(struct tc_cli *cli);

/* Rows of one type, the values that an option may have. Each begins with a pointer to its name,
 * those of formats with one to their help, too. */
struct tc_choices {
	const void *rows;
	size_t count, row_bytes;
};
#define TC_CHOICES_OF(array)                                                                       \
	((struct tc_choices){array, sizeof(array) / sizeof((array)[0]), sizeof((array)[0])})

static inline const char *const *tc_choice_at(const struct tc_choices *choices, size_t index)
{
	return (const void *)((const char *)choices->rows + index * choices->row_bytes);
}
/* The row that an option names, the first for NULL. For a value that is none of them prints so and
 * returns NULL: a wrong use. */
const void *tc_cli_choose(const char *option, const char *value, struct tc_choices choices);

/* A tc_note_fn of the whole program; user is the struct tc_cli. Keeps inputs that are left out, and
 * prints everything else. */
void tc_cli_note(void *user, enum tc_note note, const char *text);

#define TC_COMMAND(name, usage, summary, least, most, forks) int tc_cmd_##name(struct tc_cli *cli);
#include "commands.def"
#undef TC_COMMAND
