/* Rows of options that several commands have. See options.h for how a command adds its own. */
#include "options.h"

/* How traces are read, by every command that reads some. */
#define READING                                                                                    \
	TC_ROW_NO_SIDE_FILES,                                                                      \
		TC_FLAG("strict", '\0', tc_given.input.strict,                                     \
			"Fail with exit code 3 when part of a trace was lost"),                    \
		TC_FLAG("one-thread", '\0', tc_given.input.one_thread,                             \
			"Read, decode and store on one thread; same result"),                      \
		TC_FLAG("timings", '\0', tc_given.input.timings,                                   \
			"Tell the CPU time of each stage, heuristic and table on stderr")
#define RULES                                                                                      \
	TC_TEXT("rules", '\0', tc_given.advice.rules,                                              \
		"Run the rules in DIR too: .sql files, see docs/user-rules.md", "DIR")
#define WIDTH                                                                                      \
	TC_NUMBER("width", '\0', tc_given.terminal.width,                                          \
		"Columns to fill, " TC_WIDTHS " (default: the terminal's, else 80)", "N")
#define HELP TC_FLAG("help", 'h', tc_given.help, "Show this help")

struct poptOption tc_rows_input[] = {
	TC_LIST("trace", tc_given.input.traces,
		"Read this trace too (the same as naming it as an argument)", "FILE"),
	TC_LIST("with", tc_given.input.with,
		"Read this side file too: metrics, log or CSV of the Gaudi profiler", "FILE"),
	TC_LIST("capture", tc_given.input.captures,
		"Take operators of replayed graphs from this trace, which has their capture",
		"FILE"),
	TC_ROWS_PEAKS, READING, TC_END};
struct poptOption tc_rows_trace[] = {READING, TC_END};
struct poptOption tc_rows_advice[] = {
	TC_LIST("only", tc_given.advice.only, "Run these heuristics only", "ID[,ID...]"),
	TC_LIST("skip", tc_given.advice.skip, "Leave these heuristics out", "ID[,ID...]"),
	TC_LIST("set", tc_given.advice.sets,
		"Set a threshold; 'tracecoach heuristics ID' lists them", "ID.PARAM=VALUE"),
	TC_TEXT("config", '\0', tc_given.advice.config,
		"Read such settings from an ini file: [ID], PARAM = VALUE", "FILE"),
	RULES, TC_END};
struct poptOption tc_rows_rules[] = {RULES, TC_END};
struct poptOption tc_rows_terminal[] = {WIDTH,
	TC_FLAG("no-color", '\0', tc_given.terminal.no_color,
		"No colours; so does NO_COLOR in the environment"),
	TC_FLAG("ascii", '\0', tc_given.terminal.ascii, "No characters beyond ASCII"), TC_END};
struct poptOption tc_rows_width[] = {WIDTH, TC_END};
struct poptOption tc_rows_common[] = {
	TC_FLAG("quiet", 'q', tc_given.terminal.quiet, "No progress line"), HELP, TC_END};
struct poptOption tc_rows_help[] = {HELP, TC_END};
