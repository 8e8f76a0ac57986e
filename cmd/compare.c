/* tracecoach compare: two runs, one before a change and one after it. */
#include "tracecoach/compare.h"

#include <math.h>
#include <string.h>

#include "command.h"
#include "fleet_output.h"
#include "input.h"
#include "option_rows.h"
#include "output.h"

/* One of the two arguments, read. */
struct side {
	struct tc_store *store;
	struct tc_advice *advice;
	bool from_store;
};

/* Reads one argument as analyze would. */
static int open_side(struct side *side, const struct tc_cli *cli, size_t index)
{
	const char *const args[] = {cli->args[index], NULL};
	struct tc_cli alone = *cli;

	alone.args = args;
	alone.arg_count = 1;
	int code = tc_input_open(&side->store, &side->advice, &alone);
	if (code != 0) {
		*side = (struct side){0};
		return code;
	}
	side->from_store = !side->advice;
	if (side->from_store &&
		tc_advise_store(&side->advice, cli->ctx, side->store, cli->settings) != TC_OK)
		return tc_cli_fail(&alone, true);
	return 0;
}

static void close_side(struct side *side)
{
	tc_advice_free(side->advice);
	tc_store_close(side->store);
}

static enum tc_status write_report(struct tc_compare_result *result, const struct tc_cli *cli,
	const struct tc_compare_format *format, const struct side *sides, struct tc_output *output)
{
	struct tc_compare_side given[TC_COMPARE_SIDES];

	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		given[i] = (struct tc_compare_side){sides[i].store, sides[i].advice, cli->args[i]};
	const struct tc_report_options options = tc_cli_report_options(cli, output);
	const struct tc_compare_output to = {tc_output_write, output};
	return tc_compare(result, cli->ctx, given, format, &options, &to);
}

/* Steps whose device work is lost are short, so a gate that passes says what is wrong with
 * AFTER. */
static void warn_if_doubtful(const struct tc_advice *advice)
{
	for (size_t i = 0; i < advice->finding_count; i++) {
		const struct tc_finding *finding = &advice->findings[i];
		if (finding->heuristic->kind == TC_HEURISTIC_QUALITY &&
			finding->severity >= TC_SEVERITY_HIGH) {
			tc_cli_error(0, "warning: --fail-on-slower: AFTER is doubtful: %s",
				finding->heuristic->title);
			return;
		}
	}
}

/* Where it is not known what steps vary by, the plain difference counts, and that is said: a gate
 * that never closes is worse than one that closes once too often. */
static int exit_code(
	const struct tc_compare_result *result, const struct side *sides, double limit_pct)
{
	if (result->unlike)
		return tc_cli_error(TC_EXIT_INPUT,
			"compare: the runs cannot be compared: %s: give two traces of the same "
			"work",
			result->unlike);
	if (result->outcome == TC_COMPARE_OTHER_WORK)
		return tc_cli_error(TC_EXIT_INPUT,
			"compare: the runs do not do the same work, as the report says: give two "
			"traces of the same work, or judge these with --anyway");
	if (result->foreign && limit_pct < INFINITY)
		return tc_cli_error(TC_EXIT_INPUT,
			"--fail-on-slower: no trace of a deep-learning run, so nothing can be "
			"judged");
	if (result->outcome != TC_COMPARE_SLOWER || result->difference_pct < limit_pct) {
		if (limit_pct < INFINITY)
			warn_if_doubtful(sides[TC_AFTER].advice);
		return TC_EXIT_DONE;
	}
	if (!result->judged)
		tc_cli_error(0, "warning: --fail-on-slower: step-to-step variation is unknown, "
				"so any difference counts");
	return tc_cli_error(TC_EXIT_FAIL_ON,
		"--fail-on-slower: slower by %.1f %%, the limit is %g %%", result->difference_pct,
		limit_pct);
}

static int compare(const struct tc_cli *cli, const struct tc_compare_format *format,
	double limit_pct, struct tc_output *output)
{
	struct side sides[TC_COMPARE_SIDES] = {{0}, {0}};
	struct tc_compare_result result = {0};
	enum tc_status status = TC_OK;
	int code = open_side(&sides[TC_BEFORE], cli, TC_BEFORE);

	if (code == 0)
		code = open_side(&sides[TC_AFTER], cli, TC_AFTER);
	if (code == 0)
		status = write_report(&result, cli, format, sides, output);
	bool from_store = sides[TC_BEFORE].from_store || sides[TC_AFTER].from_store;
	code = tc_cli_close_output(output, cli, code, status, from_store ? "a store" : NULL);
	if (code == 0)
		code = exit_code(&result, sides, limit_pct);
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		close_side(&sides[i]);
	return code;
}

/* Before one of the two is read for long. */
static int check_there(const struct tc_cli *cli)
{
	struct tc_import_options options = tc_input_options(cli);

	options.strict = true;
	return tc_import_expect(cli->ctx, cli->args, cli->arg_count, &options) == TC_OK
		       ? 0
		       : tc_cli_fail(cli, false);
}

int tc_cmd_compare(struct tc_cli *cli)
{
	const struct tc_compare_format *format;
	struct tc_output *output;
	double limit_pct;
	int code;

	if (tc_compare_jobs(&code, cli))
		return code;
	format = tc_option_format(cli);
	code = !format ? TC_EXIT_USAGE : tc_gate_slower(&limit_pct, cli->options->fail_on_slower);
	if (code == 0)
		code = check_there(cli);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	return code == 0 ? compare(cli, format, limit_pct, output) : code;
}
