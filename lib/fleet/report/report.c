/* Loads one index or two, relates them and calls a format; see tracecoach/fleet_report.h. */
#include "fleet/report/formats.h"
#include "core/array.h"
#include "report/job.h"

enum { DEFAULT_TOP = 12 };

static const struct tc_fleet_writer text = {tc_fleet_write_document, tc_doc_write_text},
				    markdown = {tc_fleet_write_document, tc_doc_write_markdown},
				    html = {tc_fleet_write_page, tc_doc_write_html},
				    json = {tc_fleet_write_json, NULL},
				    csv = {tc_fleet_write_csv, NULL};
static const struct tc_fleet_format formats[] = {
	{"text", "a page for the terminal: the fleet, its worst jobs, fixes, what changed", &text},
	{"md", "the same as Markdown", &markdown},
	{"html", "the same as a page to open in a browser", &html},
	{"json", "every job with its numbers and fixes", &json},
	{"csv", "a row a job", &csv},
};

const struct tc_fleet_format *tc_fleet_formats(size_t *count)
{
	*count = TC_COUNT_OF(formats);
	return formats;
}

static struct tc_report_options sane(const struct tc_report_options *given)
{
	struct tc_report_options options = *given;

	if (options.top <= 0)
		options.top = DEFAULT_TOP;
	options.width = tc_report_width(options.width);
	return options;
}

static void run(struct tc_fleet *fleet, const struct tc_fleet_format *format, struct tc_sink *sink)
{
	tc_fleet_load(fleet, TC_AFTER);
	if (fleet->sides[TC_BEFORE].index)
		tc_fleet_load(fleet, TC_BEFORE);
	tc_fleet_relate(fleet);
	sink->styled = fleet->options->color && format->writer == &text;
	if (!tc_ctx_failed(fleet->ctx))
		format->writer->write(fleet, sink, format->writer->layout);
}

enum tc_status tc_fleet_report(struct tc_fleet_report_result *result, struct tc_ctx *ctx,
	const struct tc_fleet_report_input *input, const struct tc_fleet_format *format,
	const struct tc_report_options *given, const struct tc_compare_output *output)
{
	const struct tc_report_options options = sane(given);
	struct tc_fleet fleet = {.ctx = ctx,
		.input = input,
		.options = &options,
		.sides = {[TC_BEFORE] = {.index = input->since, .path = input->since_path},
			[TC_AFTER] = {.index = input->index, .path = input->path}}};
	struct tc_sink sink;

	tc_sink_init(&sink, output->write, output->user);
	sink.ctx = ctx;
	run(&fleet, format, &sink);
	enum tc_status status = tc_sink_close(&sink, ctx);
	if (status == TC_OK)
		*result = fleet.result;
	tc_fleet_clear(&fleet);
	return status;
}
