/* tracecoach analyze: traces or a store to a report. */
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "input.h"
#include "output.h"
#include "terminal.h"
#include "tracecoach/report.h"

/* What the options ask for, checked before any trace is read. */
struct plan {
	const struct tc_renderer *renderer;
	int fail_on;     /* the least severity that fails, or one above all of them */
	bool from_store; /* nothing is imported */
};

static const struct tc_renderer *default_renderer(const struct tc_cli *cli)
{
	const struct tc_renderer *perf_tool = tc_renderer_find("perf-tool");
	size_t count;

	return cli->perf_tool && perf_tool ? perf_tool : &tc_renderers(&count)[0];
}

static int choose_renderer(struct plan *plan, const struct tc_cli *cli)
{
	const char *names[16];
	size_t count;
	const struct tc_renderer *all = tc_renderers(&count);

	if (!cli->options->format) {
		plan->renderer = default_renderer(cli);
		return 0;
	}
	plan->renderer = tc_renderer_find(cli->options->format);
	if (plan->renderer)
		return 0;
	for (size_t i = 0; i < count && i < 16; i++)
		names[i] = all[i].name;
	return tc_cli_no_value("--format", cli->options->format, names, count < 16 ? count : 16);
}

static int choose_severity(struct plan *plan, const struct tc_cli *cli)
{
	const char *names[TC_SEVERITY_HIGH + 1];

	plan->fail_on = TC_SEVERITY_HIGH + 1;
	if (!cli->options->fail_on)
		return 0;
	for (int i = TC_SEVERITY_LOW; i <= TC_SEVERITY_HIGH; i++) {
		names[i] = tc_severity_name((enum tc_severity)i);
		if (strcmp(names[i], cli->options->fail_on) == 0) {
			plan->fail_on = i;
			return 0;
		}
	}
	return tc_cli_no_value("--fail-on", cli->options->fail_on, names + TC_SEVERITY_LOW,
		TC_SEVERITY_HIGH + 1 - TC_SEVERITY_LOW);
}

static struct tc_report_options report_options(
	const struct tc_options *options, const struct tc_output *output)
{
	int fd = fileno(output->file);

	return (struct tc_report_options){
		.color = tc_terminal_color(fd, options),
		.ascii = tc_terminal_ascii(options),
		.width = tc_terminal_width(fd, options->width),
		.top = options->top,
		.step = options->step,
		.rank = options->rank,
		.details = options->details != 0,
	};
}

/* What goes wrong with a store that was there before is the store's fault. */
static int fail(const struct tc_cli *cli, const struct plan *plan)
{
	if (plan->from_store && tc_ctx_status(cli->ctx) == TC_ERR_STORE)
		return tc_cli_error(TC_EXIT_INPUT,
			"%s is damaged or was changed by hand; import the trace again: %s",
			cli->args[0], tc_ctx_error(cli->ctx));
	return tc_cli_fail(cli, plan->from_store);
}

static int render(const struct tc_cli *cli, const struct plan *plan, struct tc_store *store,
	const struct tc_advice *advice)
{
	struct tc_report_options options;
	struct tc_output output;
	enum tc_status status;
	int code = tc_output_open(&output, cli);

	if (code != 0)
		return code;
	options = report_options(cli->options, &output);
	status =
		plan->renderer->render(cli->ctx, store, advice, &options, tc_output_write, &output);
	/* When writing failed the renderer only passes that on; the output knows why. */
	if (status != TC_OK && !tc_output_failed(&output)) {
		code = fail(cli, plan);
		tc_output_close(&output, true);
		return code;
	}
	return tc_output_close(&output, false);
}

static int judge(const struct plan *plan, const struct tc_advice *advice)
{
	for (size_t i = 0; i < advice->finding_count; i++) {
		if ((int)advice->findings[i].severity >= plan->fail_on)
			return TC_EXIT_FAIL_ON;
	}
	return TC_EXIT_DONE;
}

static int analyze(const struct tc_cli *cli, struct plan *plan)
{
	struct tc_store *store;
	struct tc_advice *advice;
	int code = tc_input_open(&store, &advice, cli);

	if (code != 0)
		return code;
	plan->from_store = !advice;
	if (!advice && tc_advise_store(&advice, cli->ctx, store, cli->settings) != TC_OK)
		code = fail(cli, plan);
	else
		code = render(cli, plan, store, advice);
	if (code == 0)
		code = judge(plan, advice);
	tc_advice_free(advice);
	tc_store_close(store);
	return code;
}

int tc_cmd_analyze(struct tc_cli *cli)
{
	struct plan plan;
	int code = choose_renderer(&plan, cli);

	if (code == 0)
		code = choose_severity(&plan, cli);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0)
		code = tc_output_check(cli);
	if (code == 0)
		code = analyze(cli, &plan);
	return code;
}
