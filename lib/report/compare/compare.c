/* The comparison of two runs; see tracecoach/compare.h. */
#include "report/compare/parts.h"
#include "core/alloc.h"
#include "core/array.h"
#include "store/connection.h"

static const struct tc_compare_writer text = {tc_compare_text};
static const struct tc_compare_writer json = {tc_compare_json};
static const struct tc_compare_writer html = {tc_compare_html};
static const struct tc_compare_writer markdown = {tc_compare_md};
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
		format->writer->write(compare);
	}
	tc_compare_clear(compare);
}

/* A comparison on its way through the views of its sides. */
struct trip {
	struct tc_compare compare;
	const struct tc_compare_format *format;
	int64_t ids[TC_COMPARE_SIDES];
};

static void at_after(struct tc_job *job, const struct tc_view *view)
{
	struct trip *trip = job->state;

	trip->compare.sides[TC_AFTER].view = view;
	write_loaded(&trip->compare, trip->format);
}

static void at_before(struct tc_job *job, const struct tc_view *view)
{
	struct trip *trip = job->state;

	trip->compare.sides[TC_BEFORE].view = view;
	tc_view_one(&trip->compare.sides[TC_AFTER].job, trip->ids[TC_AFTER], at_after);
}

/* Runs with a job whose options were checked; see tc_job_run(). */
static void run(struct tc_job *job)
{
	struct trip *trip = job->state;

	trip->compare.job = job;
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		struct tc_compared *side = &trip->compare.sides[i];
		side->job.options.top = job->options.top;
		side->job.state = trip;
	}
	tc_compare_ranks_choose(trip->ids, &trip->compare);
	tc_view_one(&trip->compare.sides[TC_BEFORE].job, trip->ids[TC_BEFORE], at_before);
	tc_free(trip->compare.ranks);
}

enum tc_status tc_compare(struct tc_compare_result *result, struct tc_ctx *ctx,
	const struct tc_compare_side sides[TC_COMPARE_SIDES],
	const struct tc_compare_format *format, const struct tc_report_options *options,
	const struct tc_compare_output *output)
{
	struct trip trip = {.format = format};
	struct tc_job job = {.ctx = ctx, .options = *options, .state = &trip};

	job.options.step = job.options.rank = -1;
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		trip.compare.sides[i] = (struct tc_compared){.given = &sides[i],
			.job = {.ctx = ctx,
				.db = tc_store_db(sides[i].store),
				.store_path = tc_store_path(sides[i].store),
				.advice = sides[i].advice,
				.options = {.step = -1, .rank = options->rank}}};
	tc_sink_init(&job.sink, output->write, output->user);
	enum tc_status status = tc_job_run(&job, run);
	if (status == TC_OK)
		*result = trip.compare.result;
	return status;
}
