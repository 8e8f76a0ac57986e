/* tracecoach cut: part of a trace as a smaller trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input.h"
#include "output.h"
#include "tracecoach/advice.h"
#include "tracecoach/cut.h"

static struct {
	char *steps, *time, *finding, *device;
} asked;

static struct poptOption part_rows[] = {
	TC_TEXT("steps", '\0', asked.steps, "Copy these steps, by their numbers: 4 or 3-5",
		"N[-M]"),
	TC_TEXT("time", '\0', asked.time,
		"Copy this time since the first slice: 1.2s-1.4s, in ns, us, ms or s", "FROM-TO"),
	TC_TEXT("finding", '\0', asked.finding,
		"Copy the place where this finding shows most: its number in the report, or its id",
		"FINDING"),
	TC_TEXT("device", '\0', asked.device,
		"Copy the work of this device, and the host that feeds it", "N"),
	TC_ROW_OUTPUT("Write the trace to FILE, compressed when it ends in .gz", "FILE"), TC_END};
struct poptOption tc_options_cut[] = {TC_GROUP(tc_rows_trace, "Input:"),
	TC_GROUP(part_rows, "Part:"), TC_GROUP(tc_rows_common, "Other:"), TC_END};

static int check(const struct tc_cli *cli, const struct tc_cut_options *options)
{
	if (strcmp(cli->args[0], "-") == 0)
		return tc_cli_error(
			TC_EXIT_USAGE, "cut: standard input cannot be read twice: name a file");
	if (!cli->options->report.output)
		return tc_cli_error(
			TC_EXIT_USAGE, "cut: the part has no name: give one with -o FILE");
	return tc_cut_check(cli->ctx, options) == TC_OK ? 0 : tc_cli_fail(cli, false);
}

/* The id of the finding that a report shows as number "2" or "#2", or that has this id; NULL and
 * the count of numbers when there is none. */
static const char *id_of(size_t *fix_count, const struct tc_advice *advice, const char *wanted)
{
	const char *digits = wanted[0] == '#' ? wanted + 1 : wanted;
	bool is_number = *digits && strspn(digits, "0123456789") == strlen(digits);
	unsigned long number = strtoul(digits, NULL, 10);

	for (size_t i = 0; i < advice->finding_count; i++) {
		const struct tc_heuristic *heuristic = advice->findings[i].heuristic;
		bool counts = heuristic->kind == TC_HEURISTIC_FIX;
		*fix_count += counts;
		if ((counts && is_number && --number == 0) || strcmp(heuristic->id, wanted) == 0)
			return heuristic->id;
	}
	return NULL;
}

/* The store is a temporary one: it knows steps and findings. */
static int cut(const struct tc_cli *cli, struct tc_cut_options options, struct tc_output *output,
	struct tc_cut_counts *counts)
{
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;
	struct tc_import_options import = tc_input_options(cli);

	import.advice = &advice;
	int code = tc_input_import(&store, cli, NULL, &import);

	if (code == 0 && options.finding) {
		const char *wanted = options.finding;
		size_t fix_count = 0;
		options.finding = id_of(&fix_count, advice, wanted);
		if (!options.finding)
			tc_finding_fail(cli->ctx, advice, wanted, fix_count);
	}
	if (code == 0 && tc_ctx_status(cli->ctx) == TC_OK)
		tc_cut(counts, cli->ctx, store, &options, tc_output_write, output);
	tc_advice_free(advice);
	tc_store_close(store);
	return tc_cli_close_output(output, cli, code, NULL);
}

/* A range may begin and end within steps, whose slices are there whole. */
static void tell_cut_steps(void)
{
	tc_cli_error(0, "a part for a viewer: a step that reaches beyond it is there without its "
			"other slices, and a report takes that time for idle");
}

/* With fewer than three steps a report leaves none out as warm-up, and does not know what steps
 * vary by. */
static void tell_few_steps(void)
{
	char *end;
	long long first = strtoll(asked.steps, &end, 10);
	long long last = *end == '-' ? strtoll(end + 1, NULL, 10) : first;

	if (last - first < 2)
		tc_cli_error(0,
			"%lld step%s: a report takes none of fewer than three as warm-up, so "
			"its means and gains may differ from those of the whole trace",
			last - first + 1, last == first ? "" : "s");
}

int tc_cmd_cut(struct tc_cli *cli)
{
	const char *path = cli->options->report.output;
	const struct tc_cut_options options = {.steps = asked.steps,
		.time = asked.time,
		.finding = asked.finding,
		.device = asked.device,
		.gzip = tc_cli_wants_gzip(cli)};
	struct tc_cut_counts counts;
	struct tc_output *output = NULL;
	int code = check(cli, &options);

	if (code == 0 && options.finding)
		code = tc_cli_settings(cli);
	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	if (code == 0)
		code = cut(cli, options, output, &counts);
	if (code == 0 && !cli->options->terminal.quiet && asked.steps)
		tell_few_steps();
	if (code == 0 && !cli->options->terminal.quiet && (asked.time || asked.finding))
		tell_cut_steps();
	if (code == 0 && !cli->options->terminal.quiet && strcmp(path, "-") != 0)
		printf("%lld of %lld events: %s\n", (long long)counts.kept_count,
			(long long)counts.event_count, path);
	return code;
}
