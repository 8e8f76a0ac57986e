/*
 * The options: popt tables in options.c, one row an option, in groups that commands share. A
 * command line is parsed once per run, into the one struct that the rows point at.
 */
#ifndef TC_CMD_OPTIONS_H
#define TC_CMD_OPTIONS_H

#include <popt.h>
#include <stdint.h>

/* What was given; NULL, 0 or the default of the row when it was not. */
struct tc_options {
	char **traces;               /* --trace, any number, NULL at the end */
	char **with, **captures;     /* --with, --capture, the same */
	char **sets, **only, **skip; /* any number, NULL at the end */
	char **removes, **scales, **nowaits, **late_ranks, **fixes; /* the same */
	char *format, *output, *db, *fail_on, *fail_on_slower, *config, *rules, *shard, *since,
		*json_level;
	int top, width, group_by, jobs, max_cpu, max_memory, max_query, least_gap_us;
	long long step; /* -1: the whole trace */
	long long rank; /* -1: all */
	/* What query and import alone have; attached: NAME=STORE, NULL at the end. */
	char *file, *index, **attached;
	char *steps, *time, *finding, *device; /* of cut */
	int schema;
	int no_color, ascii, quiet, strict, again, one_thread, no_side_files, details, sql, anyway,
		keep_stores;
	int help;
};

/* The rows of each command, in groups. */
#define TC_COMMAND(name, usage, summary, least, most, forks)                                       \
	extern struct poptOption tc_options_##name[];
#include "commands.def"
#undef TC_COMMAND

struct tc_command;

/*
 * Parses argv (argv[0] is shown as the program in the help) by the command's table. Returns 0, or
 * prints what is wrong and returns TC_EXIT_USAGE. *out and *args are borrowed until
 * tc_options_clear().
 */
int tc_options_parse(const struct tc_options **out, const char *const **args,
	const struct tc_command *command, int argc, const char **argv);
/* Prints usage, summary and options of the command whose line was parsed. */
void tc_options_print_help(const struct tc_command *command);
void tc_options_clear(void);

#endif
