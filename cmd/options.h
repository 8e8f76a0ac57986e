/*
 * The command line. A row of a table says what an option is called, what it takes, its help and
 * where its value goes: help, manual page, completion and parser read these rows alone. A command
 * has its own rows and a struct of their values in its own file. Rows that several commands have
 * stand in groups of rows.c, or as macros here, and their values in struct tc_options.
 *
 *	static struct { char *steps; } part;
 *	static struct poptOption part_rows[] = {
 *		TC_TEXT("steps", '\0', part.steps, "Copy these steps", "N[-M]"), TC_END};
 *	struct poptOption tc_options_cut[] = {TC_GROUP(tc_rows_trace, "Input:"),
 *		TC_GROUP(part_rows, "Part:"), TC_GROUP(tc_rows_common, "Other:"), TC_END};
 *
 * The range of a number is a row of ranges.def. A program has one command line: it is
 * parsed once, and what it gave is not written afterwards.
 */
#pragma once

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tracecoach/report.h"

/* The values of options that several commands have; NULL, 0 or the default of the row when it
 * was not. Lists end with NULL. */
struct tc_options {
	struct {
		char **traces, **with, **captures, *device, *peaks;
		char *db; /* the store to keep; analyze alone has it */
		int no_side_files, strict, one_thread, timings;
	} input;
	struct {
		char **sets, **only, **skip, *config, *rules;
	} advice;
	struct {
		char *format, *output, *fail_on, *fail_on_slower;
		int top, details, anyway;
		long long step; /* -1: the whole trace */
		long long rank; /* -1: all */
	} report;
	struct {
		int jobs, max_cpu, max_memory;
	} processes; /* of a batch or a watch */
	struct {
		int width, no_color, ascii, quiet;
	} terminal;
	int help;
};

extern struct tc_options tc_given;

#define TC_FLAG(long_name, letter, place, help)                                                    \
	{                                                                                          \
		long_name, letter, POPT_ARG_NONE, &place, 0, help, NULL                            \
	}
/* popt returns this for an option with a value, and nothing for others. */
enum { TC_HAS_VALUE = 1 };

#define TC_TEXT(long_name, letter, place, help, word)                                              \
	{                                                                                          \
		long_name, letter, POPT_ARG_STRING, &place, TC_HAS_VALUE, help, word               \
	}
#define TC_NUMBER(long_name, letter, place, help, word)                                            \
	{                                                                                          \
		long_name, letter, POPT_ARG_INT, &place, TC_HAS_VALUE, help, word                  \
	}
#define TC_LONG_NUMBER(long_name, place, help)                                                     \
	{                                                                                          \
		long_name, '\0', POPT_ARG_LONGLONG, &place, TC_HAS_VALUE, help, "N"                \
	}
#define TC_LIST(long_name, place, help, word)                                                      \
	{                                                                                          \
		long_name, '\0', POPT_ARG_ARGV, &place, TC_HAS_VALUE, help, word                   \
	}
#define TC_GROUP(rows, title)                                                                      \
	{                                                                                          \
		NULL, '\0', POPT_ARG_INCLUDE_TABLE, rows, 0, title, NULL                           \
	}
#define TC_END POPT_TABLEEND

/* Rows that several commands have between rows of their own. */
#define TC_ROW_FORMAT(help) TC_TEXT("format", 'f', tc_given.report.format, help, "NAME")
#define TC_ROW_OUTPUT(help, word) TC_TEXT("output", 'o', tc_given.report.output, help, word)
/* For a report in one of several formats. */
#define TC_ROWS_OF_REPORT                                                                          \
	TC_ROW_FORMAT("Kind of report, see below (default: text)"),                                \
		TC_ROW_OUTPUT("Write the report to FILE; .html, .json and the like say the "       \
			      "format; - is standard output",                                      \
			"FILE")
#define TC_ROW_TOP(help) TC_NUMBER("top", '\0', tc_given.report.top, help, "N")
#define TC_ROW_DETAILS(help) TC_FLAG("details", '\0', tc_given.report.details, help)
#define TC_ROW_RANK(help) TC_LONG_NUMBER("rank", tc_given.report.rank, help)
#define TC_ROW_FAIL_ON                                                                             \
	TC_TEXT("fail-on", '\0', tc_given.report.fail_on,                                          \
		"Exit with 1 when a finding is at least this severe: high, medium or low",         \
		"SEVERITY")
#define TC_ROWS_FAIL_ON_SLOWER(help)                                                               \
	TC_TEXT("fail-on-slower", '\0', tc_given.report.fail_on_slower, help, "PCT"),              \
		TC_FLAG("anyway", '\0', tc_given.report.anyway,                                    \
			"Judge also what does not do the same work as before")
#define TC_ROW_NO_SIDE_FILES                                                                       \
	TC_FLAG("no-side-files", '\0', tc_given.input.no_side_files,                               \
		"Do not look for side files beside traces")
#define TC_ROWS_PROCESSES(jobs_help)                                                               \
	TC_NUMBER("jobs", 'j', tc_given.processes.jobs, jobs_help, "N"),                           \
		TC_NUMBER("max-cpu", '\0', tc_given.processes.max_cpu,                             \
			"Give up on a trace after so many seconds of CPU time", "SECONDS"),        \
		TC_NUMBER("max-memory", '\0', tc_given.processes.max_memory,                       \
			"Give up on a trace for which a process needs more memory", "MIB")
#define TC_ROWS_PEAKS                                                                              \
	TC_TEXT("device", '\0', tc_given.input.device,                                             \
		"Compare with the peaks of this device: H100, MI300X, ... (docs/hardware.md)",     \
		"NAME"),                                                                           \
		TC_TEXT("peaks", '\0', tc_given.input.peaks,                                       \
			"Compare with the peaks in this ini file: [NAME], bf16_tflops = 708, "     \
			"memory_gb_per_s = 4300 (docs/roofline.md)",                               \
			"FILE")

extern struct poptOption tc_rows_input[]; /* traces, side files, and how they are read */
/* The widths that a text may have, in words: "50 or more". */
#define TC_WIDTHS TC_DIGITS_OF(TC_REPORT_WIDTH_LEAST) " or more"
#define TC_DIGITS_OF(number) TC_DIGITS(number)
#define TC_DIGITS(number) #number

extern struct poptOption tc_rows_trace[]; /* how traces are read */
extern struct poptOption tc_rows_advice[];
extern struct poptOption tc_rows_rules[];
extern struct poptOption tc_rows_terminal[];
extern struct poptOption tc_rows_width[];
extern struct poptOption tc_rows_common[];
extern struct poptOption tc_rows_help[];

/* The rows of each command, in groups. */
#define TC_COMMAND(name, usage, summary, least, most, forks)                                       \
	extern struct poptOption tc_options_##name[];
#include "commands.def"
#undef TC_COMMAND

struct tc_command;

/*
 * Parses argv (argv[0] is shown as the program in the help) by the command's rows, into tc_given
 * and the command's own struct. Returns 0, or prints what is wrong and returns an exit code. *args
 * is borrowed until tc_options_clear().
 */
int tc_options_parse(
	const char *const **args, const struct tc_command *command, int argc, const char **argv);
void tc_options_clear(void);

/* More rows than any command has. */
#define TC_OPTION_ROWS_MOST 64
struct tc_option_row {
	const char *group; /* "Input:" */
	const struct poptOption *option;
};
/* The options of a command in the order of its help; returns how many. */
size_t tc_option_rows(
	struct tc_option_row rows[TC_OPTION_ROWS_MOST], const struct tc_command *command);
/* Prints usage, summary and options of the command whose line was parsed. */
void tc_options_print(const struct tc_command *command);

/* The short help: what it is, the commands; all: and the exit codes, on standard output. */
void tc_help(FILE *file, bool all);
/* Options of the command whose line was parsed last, on stdout. */
void tc_help_command(const struct tc_command *command);
