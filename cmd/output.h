/* Where results go: what -o names, or standard output. And the gates, options that make a command
 * fail when a report says something bad. */
#pragma once

#include "command.h"
#include "tracecoach/output.h"
#include "tracecoach/report.h"

/* The values of --format of a command, the first of them the default; none for others. */
struct tc_choices tc_option_formats(const struct tc_command *command);
/* The format that was asked for: --format, else what the name of the output ends in, where the
 * command has such a format; NULL for neither. */
const char *tc_format_asked(const struct tc_cli *cli);
/* The one that was asked for, or NULL: see tc_cli_choose(). */
const void *tc_option_format(const struct tc_cli *cli);

/*
 * Opens it, before anything is read for long; call it when settings and rules are read. Returns 0,
 * or prints why nothing can be written there and returns an exit code.
 */
int tc_cli_open_output(struct tc_output **out, const struct tc_cli *cli);
/* Closes it: its name gets what was written only when all went well, which code and the context
 * say. Returns code, or prints what is wrong and returns an exit code where code is 0. store is
 * that of tc_cli_report_failed(). */
int tc_cli_close_output(
	struct tc_output *output, const struct tc_cli *cli, int code, const char *store);
/* The options of a report that is written to output. */
struct tc_report_options tc_cli_report_options(const struct tc_cli *cli, struct tc_output *output);
/* Whether its name asks for gzip: "trace.json.gz". */
bool tc_cli_wants_gzip(const struct tc_cli *cli);

/* Sets *least to the severity that --fail-on names, or to one above all of them for NULL. Returns
 * 0, or prints that it names none and returns TC_EXIT_USAGE. */
int tc_gate_severity(int *least, const char *text);
/* Sets *limit to the percentage of --fail-on-slower, which is not given where text is NULL. Returns
 * 0, or prints that it is none and returns TC_EXIT_USAGE. */
int tc_gate_slower(struct tc_slower_limit *limit, const char *text);
