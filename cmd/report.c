/*
 * tracecoach report: the index of a batch, as a page on all of its jobs; of several, one for each
 * night, a page on the last one, with what changed and since when. compare writes such a page
 * on two indexes, with the changes alone.
 */
#include "jobs.h"

#include "output.h"

static struct {
	char *since, *owner, *device;
	int group_by;
} asked;

static struct poptOption report_rows[] = {TC_ROWS_OF_REPORT,
	TC_TEXT("since", '\0', asked.since, "Tell what changed since this earlier index", "INDEX"),
	TC_NUMBER("group-by", '\0', asked.group_by,
		"Show groups of jobs: those with the same N first directories", "N"),
	TC_TEXT("owner", '\0', asked.owner, "Look only at the jobs of this owner (job.ini)",
		"NAME"),
	TC_TEXT("device", '\0', asked.device,
		"Look only at jobs on devices with this in their name", "NAME"),
	TC_ROW_TOP("Show N jobs (default: 12)"),
	TC_ROW_DETAILS("Name everything that was left out"), TC_ROW_FAIL_ON,
	TC_ROWS_FAIL_ON_SLOWER(
		"Exit with 1 when a job became slower by PCT percent or more, beyond "
		"what its steps vary by"),
	TC_END};
struct poptOption tc_options_report[] = {TC_GROUP(report_rows, "Report:"),
	TC_GROUP(tc_rows_terminal, "Terminal:"), TC_GROUP(tc_rows_help, "Other:"), TC_END};

/* The options, checked before an index is opened. */
struct plan {
	const struct tc_fleet_format *format;
	struct tc_slower_limit slower;
	int fail_on;
};

static int make_plan(struct plan *plan, const struct tc_cli *cli)
{
	size_t count;
	const struct tc_fleet_format *formats = tc_fleet_formats(&count);

	/* Compare has formats of its own, for two runs. */
	plan->format = tc_cli_choose("--format", tc_format_asked(cli),
		(struct tc_choices){formats, count, sizeof(*formats)});
	if (!plan->format)
		return TC_EXIT_USAGE;
	int code = tc_gate_slower(&plan->slower, cli->options->report.fail_on_slower);
	return code != 0 ? code : tc_gate_severity(&plan->fail_on, cli->options->report.fail_on);
}

static int open_indexes(struct tc_fleet_report_input *input, const struct tc_cli *cli)
{
	if (tc_index_open(&input->index, cli->ctx, input->path) != TC_OK)
		return tc_cli_fail(cli, true);
	if (input->since_path && tc_index_open(&input->since, cli->ctx, input->since_path) != TC_OK)
		return tc_cli_fail(cli, true);
	return 0;
}

static void write_report(struct tc_fleet_report_result *result, const struct tc_cli *cli,
	const struct plan *plan, const struct tc_fleet_report_input *input,
	struct tc_output *output)
{
	const struct tc_report_options options = tc_cli_report_options(cli, output);
	const struct tc_compare_output to = {tc_output_write, output};

	tc_fleet_report(result, cli->ctx, input, plan->format, &options, &to);
}

/* Why a gate that nothing has closed does not pass, or a comparison has nothing to say;
 * TC_EXIT_DONE where there is no reason. */
static int exit_code_of_unjudged(
	const struct tc_fleet_report_result *result, const struct tc_cli *cli)
{
	if (cli->options->report.fail_on && result->fault_count > 0)
		return tc_cli_error(TC_EXIT_INPUT,
			"--fail-on: a check failed in %lld trace%s, so nothing is known of what it "
			"looks for: the report names %s",
			(long long)result->fault_count, result->fault_count == 1 ? "" : "s",
			result->fault_count == 1 ? "the trace" : "the traces");
	if (cli->options->report.fail_on_slower && result->damaged_count > 0)
		return tc_cli_error(TC_EXIT_INPUT,
			"--fail-on-slower: a part of %zu job%s was lost before or after, so "
			"nothing can be judged there: give whole recordings, or judge these with "
			"--anyway",
			result->damaged_count, result->damaged_count == 1 ? "" : "s");
	if (cli->options->report.fail_on && !result->has_judged)
		return tc_cli_error(
			TC_EXIT_INPUT, "--fail-on: no job shows enough device work to be judged");
	if (result->judged_count > 0)
		return TC_EXIT_DONE;
	if (result->other_work_count > 0 && result->unjudged_count == 0)
		return tc_cli_error(TC_EXIT_INPUT,
			"no job does the same work in both, as the report says: give two batches "
			"of the same jobs, or judge these with --anyway");
	if (cli->options->report.fail_on_slower)
		return tc_cli_error(TC_EXIT_INPUT,
			"--fail-on-slower: no job is in both with steps enough to judge: give two "
			"batches of the same jobs");
	return TC_EXIT_DONE;
}

static void warn_of_unjudged(const struct tc_fleet_report_result *result)
{
	const size_t few = result->unjudged_count, other = result->other_work_count;

	if (few > 0)
		tc_cli_error(0, "warning: --fail-on-slower: %zu job%s with too few steps to judge",
			few, few == 1 ? "" : "s");
	if (other > 0)
		tc_cli_error(0,
			"warning: --fail-on-slower: %zu job%s on other devices or another number "
			"of ranks, not judged: --anyway judges them, too",
			other, other == 1 ? "" : "s");
}

/* Jobs with too few steps, and those of other work, do not close the gate: among many there is
 * always one that took longer this time. How many there are is said. Where no job can be judged at
 * all, the gate does not pass, nor where a part of a job was lost: what is left of it is short. */
static int exit_code(const struct tc_fleet_report_result *result, const struct plan *plan,
	const struct tc_cli *cli)
{
	if (plan->slower.is_given)
		warn_of_unjudged(result);
	bool is_bad =
		result->has_judged && result->has_finding && (int)result->worst >= plan->fail_on;
	if (result->slower_count > 0)
		return tc_cli_error(TC_EXIT_FAIL_ON,
			"--fail-on-slower: a job became slower by %.1f %%, the limit is %g %%",
			result->slower_pct, plan->slower.pct);
	if (is_bad)
		return tc_cli_error(TC_EXIT_FAIL_ON,
			"--fail-on: a job has a finding of severity %s",
			tc_severity_name(result->worst));
	return exit_code_of_unjudged(result, cli);
}

static int report(const struct tc_cli *cli, const struct plan *plan,
	struct tc_fleet_report_input *input, struct tc_output *output,
	const struct tc_index_opener *opener)
{
	struct tc_fleet_report_result result = {0};
	int code = opener ? opener->open(input, opener->user) : open_indexes(input, cli);

	if (code == 0)
		write_report(&result, cli, plan, input, output);
	code = tc_cli_close_output(output, cli, code, input->path);
	if (code == 0)
		code = exit_code(&result, plan, cli);
	tc_store_close(input->index);
	tc_store_close(input->since);
	return code;
}

int tc_fleet_output(const struct tc_cli *cli, struct tc_fleet_report_input input,
	const struct tc_index_opener *opener)
{
	struct tc_output *output;
	struct plan plan;
	int code = make_plan(&plan, cli);

	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	input.slower = plan.slower;
	return code == 0 ? report(cli, &plan, &input, output, opener) : code;
}

int tc_cmd_report(struct tc_cli *cli)
{
	const size_t night_count = cli->arg_count - 1;
	struct tc_fleet_report_input input = {.path = cli->args[night_count],
		.since_path = asked.since,
		.nights = cli->args,
		.night_count = night_count,
		.group_by = asked.group_by,
		.owner = asked.owner,
		.device = asked.device};

	if (night_count > 0 && !input.since_path)
		input.since_path = cli->args[night_count - 1];
	if (cli->options->report.fail_on_slower && !input.since_path)
		return tc_cli_error(TC_EXIT_USAGE,
			"--fail-on-slower: slower than what? Name an earlier index with --since");
	return tc_fleet_output(cli, input, NULL);
}
