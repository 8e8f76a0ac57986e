/* The comparison of two runs; see tracecoach/compare.h. */
#include "report/compare/parts.h"
#include "core/alloc.h"
#include "core/array.h"
#include "report/html/parts.h"
#include "store/connection.h"

static const struct tc_compare_writer text = {tc_compare_put, tc_doc_write_text},
				      json = {tc_compare_json, NULL},
				      markdown = {tc_compare_put, tc_doc_write_markdown},
				      html = {tc_compare_html, tc_page_article};
static const struct tc_compare_format formats[] = {
	{"text", "for the terminal: verdict, where the time went, advice, operations", &text},
	{"json", "everything, as docs/compare.schema.json describes it", &json},
	{"md", "the same as text, as Markdown", &markdown},
	{"html", "a page to open in a browser, with both timelines one above the other", &html},
};

const struct tc_compare_format *tc_compare_formats(size_t *count)
{
	*count = TC_COUNT_OF(formats);
	return formats;
}

static void write_loaded(struct tc_compare *compare, const struct tc_compare_format *format)
{
	tc_compare_load(compare);
	if (!tc_ctx_failed(compare->job->ctx)) {
		tc_compare_judge(compare);
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			compare->result.foreign |= tc_view_is_other(compare->sides[side].view);
		compare->job->write = format->writer->layout;
		format->writer->write(compare);
	}
	tc_compare_clear(compare);
}

/* The views of both sides are there while the comparison is made. */
static void write_traces(struct tc_compare *compare, const struct tc_compare_format *format)
{
	struct tc_views views[TC_COMPARE_SIDES];
	int64_t ids[TC_COMPARE_SIDES] = {0, 0};
	bool has_all = true;

	tc_compare_ranks_choose(ids, compare);
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		struct tc_compared *side = &compare->sides[i];
		side->job.options.top = compare->job->options.top;
		views[i] = tc_views_one(&side->job, ids[i]);
		side->view = tc_views_next(&views[i]);
		has_all &= side->view != NULL;
	}
	if (has_all)
		write_loaded(compare, format);
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		tc_views_close(&views[i]);
	tc_free(compare->ranks);
}

enum tc_status tc_compare(struct tc_compare_result *result, struct tc_ctx *ctx,
	const struct tc_compare_side sides[TC_COMPARE_SIDES],
	const struct tc_compare_format *format, const struct tc_report_options *options,
	const struct tc_compare_output *output)
{
	struct tc_job job = {.ctx = ctx, .options = *options};
	struct tc_compare compare = {.job = &job, .anyway = options->anyway};

	job.options.step = job.options.rank = -1;
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		compare.sides[i] = (struct tc_compared){.given = &sides[i],
			.job = {.ctx = ctx,
				.db = tc_store_db(sides[i].store),
				.store_path = tc_store_path(sides[i].store),
				.advice = sides[i].advice,
				.options = {.step = -1, .rank = options->rank}}};
	tc_sink_init(&job.sink, output->write, output->user);
	if (tc_job_begin(&job))
		write_traces(&compare, format);
	enum tc_status status = tc_job_end(&job);
	if (status == TC_OK)
		*result = compare.result;
	return status;
}
