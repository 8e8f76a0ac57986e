/*
 * tracecoach analyze: traces or a store to a report. tracecoach explain: one finding of them,
 * whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "input.h"
#include "output.h"
#include "tracecoach/report.h"

static struct {
	char *json_level; /* of analyze */
	int sql;          /* of explain */
} asked;

static struct poptOption store_rows[] = {TC_TEXT("db", '\0', tc_given.input.db,
						 "Keep the store in FILE (default: a temporary "
						 "place)",
						 "FILE"),
	TC_END};
static struct poptOption analyze_rows[] = {TC_ROWS_OF_REPORT,
	TC_ROW_TOP("Show N findings, and N rows of each table (default: 5 and 10)"),
	TC_LONG_NUMBER("step", tc_given.report.step, "Report this step only"),
	TC_ROW_RANK("Report this rank only (not for json)"),
	TC_TEXT("json-level", '\0', asked.json_level,
		"How much --format json says: summary, a few kilobytes, or full (default: full)",
		"LEVEL"),
	TC_ROW_DETAILS("Show all tables and findings, and a report of each rank of a job"),
	TC_ROW_FAIL_ON, TC_END};
struct poptOption tc_options_analyze[] = {TC_GROUP(tc_rows_input, "Input:"),
	TC_GROUP(store_rows, "Store:"), TC_GROUP(tc_rows_advice, "Advice:"),
	TC_GROUP(analyze_rows, "Report:"), TC_GROUP(tc_rows_terminal, "Terminal:"),
	TC_GROUP(tc_rows_common, "Other:"), TC_END};

static struct poptOption explain_rows[] = {TC_ROW_FORMAT("text or md (default: text)"),
	TC_ROW_OUTPUT(
		"Write the report to FILE, as its ending (.md) says; - is standard output", "FILE"),
	TC_FLAG("sql", '\0', asked.sql, "Show the query that returns the evidence, too"),
	TC_ROW_RANK("Report this rank only"), TC_END};
struct poptOption tc_options_explain[] = {TC_GROUP(tc_rows_input, "Input:"),
	TC_GROUP(tc_rows_advice, "Advice:"), TC_GROUP(explain_rows, "Report:"),
	TC_GROUP(tc_rows_terminal, "Terminal:"), TC_GROUP(tc_rows_common, "Other:"), TC_END};

/* The options, checked before any trace is read. */
struct plan {
	const struct tc_renderer *renderer;
	int fail_on;         /* the least severity that fails, or one above all of them */
	const char *finding; /* only this one, or NULL */
	bool summary;        /* of json */
};

static int choose_renderer(struct plan *plan, const struct tc_cli *cli)
{
	const char *format = tc_format_asked(cli);
	size_t count;
	const struct tc_renderer *all = tc_renderers(&count);

	if (!cli->options->report.format && cli->perf_tool)
		format = "perf-tool";
	plan->renderer =
		tc_cli_choose("--format", format, (struct tc_choices){all, count, sizeof(*all)});
	return plan->renderer ? 0 : TC_EXIT_USAGE;
}

static int choose_level(struct plan *plan)
{
	static const char *const levels[] = {"full", "summary"};

	if (asked.json_level && strcmp(plan->renderer->name, "json") != 0)
		return tc_cli_error(TC_EXIT_USAGE, "--json-level is for --format json");
	const char *const *level =
		tc_cli_choose("--json-level", asked.json_level, TC_CHOICES_OF(levels));
	plan->summary = level == &levels[1];
	return level ? 0 : TC_EXIT_USAGE;
}

/* ---- The options that the command for a finding takes over: with other options the finding would
 * have another number. */

static bool add_flag(struct tc_strings *flags, const char *name, const char *value)
{
	size_t size = strlen(name) + (value ? strlen(value) : 0) + sizeof("--=");
	char *text = malloc(size);

	if (text)
		snprintf(text, size, "--%s%s%s", name, value ? "=" : "", value ? value : "");
	bool added = text && tc_strings_add(flags, text) == 0;
	free(text);
	return added;
}

/* Not --trace, which is among the inputs, nor what changes only how the input is read. */
static bool changes_findings(const char *name)
{
	static const char *const others[] = {"trace", "strict", "one-thread", "timings"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i], name) == 0)
			return false;
	return true;
}

/* False when memory is out. */
static bool add_flags(struct tc_strings *flags, const struct poptOption *row)
{
	bool added = true;

	for (; row->longName && added; row++) {
		unsigned type = row->argInfo & POPT_ARG_MASK;
		if (!changes_findings(row->longName))
			continue;
		if (type == POPT_ARG_ARGV)
			for (char **value = *(char ***)row->arg; value && *value && added; value++)
				added = add_flag(flags, row->longName, *value);
		else if (type == POPT_ARG_STRING && *(char **)row->arg)
			added = add_flag(flags, row->longName, *(char **)row->arg);
		else if (type == POPT_ARG_NONE && *(int *)row->arg)
			added = add_flag(flags, row->longName, NULL);
	}
	return added;
}

static int render(const struct tc_cli *cli, const struct plan *plan, struct tc_store *store,
	const struct tc_advice *advice, struct tc_output *output)
{
	struct tc_report_options options = tc_cli_report_options(cli, output);
	struct tc_strings flags = {NULL, 0, 0};

	/* A store with a path is sealed, and was read with its options. */
	bool added = (tc_store_path(store) || add_flags(&flags, tc_rows_input)) &&
		     add_flags(&flags, tc_rows_advice);
	options.flags = (const char *const *)flags.items;
	options.flag_count = flags.count;
	options.explain = plan->finding;
	options.fail_on = plan->fail_on <= TC_SEVERITY_HIGH ? plan->fail_on : 0;
	options.summary = plan->summary;
	options.sql = asked.sql != 0;
	if (added)
		plan->renderer->render(cli->ctx, store, advice, &options, tc_output_write, output);
	tc_strings_clear(&flags);
	return added ? 0 : tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
}

/* The first check that failed, and how many did. */
static const struct tc_account_row *failed_check(size_t *count, const struct tc_advice *advice)
{
	const struct tc_account_row *first = NULL;

	*count = 0;
	for (size_t i = advice->account_count; i-- > 0;)
		if (advice->account[i].outcome == TC_OUTCOME_FAILED) {
			first = &advice->account[i];
			++*count;
		}
	return first;
}

/* A run without a verdict gives a gate nothing to judge, whatever the checks say about its
 * recording. What a failed check would have found is not known, either: a gate that only looks shut
 * is worse than none. */
static int exit_code(
	const struct tc_cli *cli, const struct plan *plan, const struct tc_advice *advice)
{
	size_t unjudged = advice->trace_count - advice->judged_count, failed_count;
	const struct tc_account_row *failed = failed_check(&failed_count, advice);

	if (plan->fail_on > TC_SEVERITY_HIGH)
		return TC_EXIT_DONE;
	for (size_t i = 0; advice->judged_count > 0 && i < advice->finding_count; i++) {
		const struct tc_finding *finding = &advice->findings[i];
		if ((int)finding->severity >= plan->fail_on)
			return tc_cli_error(TC_EXIT_FAIL_ON, "--fail-on: %s has severity %s",
				finding->heuristic->id, tc_severity_name(finding->severity));
	}
	if (failed)
		return tc_cli_error(TC_EXIT_INPUT,
			"--fail-on: %zu check%s failed, so nothing is known of what %s: %s: %s",
			failed_count, failed_count == 1 ? "" : "s",
			failed_count == 1 ? "it looks for" : "they look for", failed->heuristic->id,
			failed->reason);
	if (unjudged == 0)
		return TC_EXIT_DONE;
	if (advice->judged_count == 0 || cli->options->input.strict)
		return tc_cli_error(TC_EXIT_INPUT,
			"--fail-on: %zu of %zu trace%s could not be judged: the report says why",
			unjudged, advice->trace_count, advice->trace_count == 1 ? "" : "s");
	return tc_cli_error(TC_EXIT_DONE,
		"warning: --fail-on: %zu of %zu traces could not be judged: the report says why",
		unjudged, advice->trace_count);
}

static int analyze(const struct tc_cli *cli, struct plan *plan, struct tc_output *output)
{
	struct tc_store *store = NULL;
	struct tc_advice *advice;
	int code = tc_input_open(&store, &advice, cli);
	bool from_store = !advice;

	if (code == 0 && from_store)
		tc_advise_store(&advice, cli->ctx, store, cli->settings);
	if (code == 0 && tc_ctx_status(cli->ctx) == TC_OK)
		code = render(cli, plan, store, advice, output);
	code = tc_cli_close_output(output, cli, code, from_store ? cli->args[0] : NULL);
	if (code == 0)
		code = exit_code(cli, plan, advice);
	tc_advice_free(advice);
	tc_store_close(store);
	return code;
}

/* Reads the arguments and prints a report; only of this finding where it is not NULL. */
static int report(struct tc_cli *cli, const char *finding)
{
	struct tc_output *output;
	struct plan plan = {.finding = finding};
	int code = choose_renderer(&plan, cli);

	if (code == 0)
		code = choose_level(&plan);
	if (code == 0)
		code = tc_gate_severity(&plan.fail_on, cli->options->report.fail_on);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	return code == 0 ? analyze(cli, &plan, output) : code;
}

int tc_cmd_analyze(struct tc_cli *cli)
{
	return report(cli, NULL);
}

/* A word between traces and finding that is no file: a second finding. */
static int check_one_finding(const struct tc_cli *cli)
{
	for (size_t i = 1; i + 1 < cli->arg_count; i++)
		if (!strpbrk(cli->args[i], "./") && access(cli->args[i], F_OK) != 0)
			return tc_cli_error(TC_EXIT_USAGE,
				"explain: there is no file %s, and it takes one finding at a time",
				cli->args[i]);
	return 0;
}

int tc_cmd_explain(struct tc_cli *cli)
{
	const char *first = cli->args[0], *finding = cli->args[cli->arg_count - 1];

	if (!tc_option_format(cli))
		return TC_EXIT_USAGE;
	if (strcmp(first, "-") != 0 && access(first, F_OK) != 0 && access(finding, F_OK) == 0)
		return tc_cli_error(TC_EXIT_USAGE,
			"explain: the trace comes first: tracecoach explain %s %s", finding, first);
	int code = check_one_finding(cli);
	cli->arg_count--;
	if (code == 0)
		code = report(cli, finding);
	cli->arg_count++;
	return code;
}
