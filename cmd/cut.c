/* tracecoach cut: part of a trace as a smaller trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input.h"
#include "output.h"
#include "tracecoach/advice.h"
#include "tracecoach/cut.h"

static int check(const struct tc_cli *cli, const struct tc_cut_options *options)
{
	if (strcmp(cli->args[0], "-") == 0)
		return tc_cli_error(
			TC_EXIT_USAGE, "cut: standard input cannot be read twice: name a file");
	if (!cli->options->output)
		return tc_cli_error(
			TC_EXIT_USAGE, "cut: the part has no name: give one with -o FILE");
	return tc_cut_check(cli->ctx, options) == TC_OK ? 0 : tc_cli_fail(cli, false);
}

/* The id of the finding that a report shows as number "2" or "#2", or that has this id; NULL and
 * the count of numbers when there is none. */
static const char *id_of(size_t *fix_count, const struct tc_advice *advice, const char *asked)
{
	const char *digits = asked[0] == '#' ? asked + 1 : asked;
	bool is_number = *digits && strspn(digits, "0123456789") == strlen(digits);
	unsigned long number = strtoul(digits, NULL, 10);

	for (size_t i = 0; i < advice->finding_count; i++) {
		const struct tc_heuristic *heuristic = advice->findings[i].heuristic;
		bool counts = heuristic->kind == TC_HEURISTIC_FIX;
		*fix_count += counts;
		if ((counts && is_number && --number == 0) || strcmp(heuristic->id, asked) == 0)
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
	int code = tc_input_import(&store, &advice, cli, NULL);
	enum tc_status status = TC_OK;

	if (code == 0 && options.finding) {
		const char *asked = options.finding;
		size_t fix_count = 0;
		options.finding = id_of(&fix_count, advice, asked);
		if (!options.finding)
			status = tc_finding_fail(cli->ctx, advice, asked, fix_count);
	}
	if (code == 0 && status == TC_OK)
		status = tc_cut(counts, cli->ctx, store, &options, tc_output_write, output);
	tc_advice_free(advice);
	tc_store_close(store);
	return tc_cli_close_output(output, cli, code, status, NULL);
}

int tc_cmd_cut(struct tc_cli *cli)
{
	const char *path = cli->options->output;
	const struct tc_cut_options options = {.steps = cli->options->steps,
		.time = cli->options->time,
		.finding = cli->options->finding,
		.device = cli->options->device,
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
	if (code == 0 && !cli->options->quiet && strcmp(path, "-") != 0)
		printf("%lld of %lld events: %s\n", (long long)counts.kept_count,
			(long long)counts.event_count, path);
	return code;
}
