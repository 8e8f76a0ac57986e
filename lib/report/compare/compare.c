/* The comparison of two runs; see tracecoach/compare.h. */
#include "report/compare/formats.h"
#include "report/compare/judge.h"
#include "report/compare/load.h"
#include "store/connection.h"

static const struct tc_compare_writer text = {tc_compare_text};
static const struct tc_compare_writer json = {tc_compare_json};
static const struct tc_compare_writer markdown = {tc_compare_md};
static const struct tc_compare_format formats[] = {
	{"text", "for the terminal: verdict, where the time went, advice, operations", &text},
	{"json", "everything, as docs/compare.schema.json describes it", &json},
	{"md", "the same as text, as Markdown", &markdown},
};

const struct tc_compare_format *tc_compare_formats(size_t *count)
{
	*count = sizeof(formats) / sizeof(formats[0]);
	return formats;
}

/* "0, 1, 3": the ranks that a store has traces of. */
static enum tc_status append_ranks(struct tc_buf *buf, const struct tc_job *job)
{
	const char *separator = "";
	struct tc_rows rows;

	tc_rows_open(&rows, job->ctx, job->db,
		"SELECT DISTINCT rank FROM trace WHERE rank IS NOT NULL ORDER BY rank");
	while (tc_rows_next(&rows)) {
		tc_buf_format(buf, "%s%lld", separator, (long long)tc_rows_int(&rows, 0));
		separator = ", ";
	}
	return tc_rows_close(&rows);
}

/* None or several of the traces are meant: says which ranks there are. */
static enum tc_status fail_choice(
	const struct tc_compared *side, int64_t rank, int64_t chosen, int64_t all)
{
	struct tc_ctx *ctx = side->job.ctx;
	const char *source = side->given->source;
	struct tc_buf ranks = TC_BUF_EMPTY;
	enum tc_status status = append_ranks(&ranks, &side->job);
	const char *list = tc_buf_string(&ranks);

	if (status != TC_OK || !list)
		status = status ? status : tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
	else if (ranks.len == 0)
		status = tc_fail(ctx, TC_ERR_USAGE,
			rank < 0 ? "%s: %lld traces without a rank: compare one of them alone"
				 : "%s: %lld traces, none with a rank: leave out --rank",
			source, (long long)all);
	else if (chosen > 1 && rank >= 0)
		status = tc_fail(ctx, TC_ERR_USAGE,
			"%s: %lld traces of rank %lld: compare one of them alone", source,
			(long long)chosen, (long long)rank);
	else if (rank >= 0)
		status = tc_fail(ctx, TC_ERR_USAGE, "%s: no trace of rank %lld: there is %s",
			source, (long long)rank, list);
	else
		status = tc_fail(ctx, TC_ERR_USAGE,
			"%s: %lld traces: choose one with --rank N, of ranks %s", source,
			(long long)all, list);
	tc_buf_clear(&ranks);
	return status;
}

static enum tc_status choose_trace(int64_t *id, const struct tc_compared *side, int64_t rank)
{
	int64_t all = 0, chosen = 0;
	struct tc_rows rows;

	tc_rows_open(&rows, side->job.ctx, side->job.db,
		"SELECT count(*), count(*) FILTER (WHERE ?1 < 0 OR rank = ?1),"
		" min(id) FILTER (WHERE ?1 < 0 OR rank = ?1) FROM trace");
	tc_rows_bind(&rows, 1, rank);
	if (tc_rows_next(&rows)) {
		all = tc_rows_int(&rows, 0);
		chosen = tc_rows_int(&rows, 1);
		*id = tc_rows_int(&rows, 2);
	}
	enum tc_status status = tc_rows_close(&rows);
	return status != TC_OK || chosen == 1 ? status : fail_choice(side, rank, chosen, all);
}

static enum tc_status write_loaded(
	struct tc_compare *compare, const struct tc_compare_format *format)
{
	enum tc_status status = tc_compare_load(compare);

	if (status == TC_OK) {
		tc_compare_judge(compare);
		status = format->writer->write(compare);
	}
	tc_compare_clear(compare);
	return status;
}

/* A comparison on its way through the views of its sides. */
struct trip {
	struct tc_compare compare;
	const struct tc_compare_format *format;
	int64_t ids[TC_COMPARE_SIDES];
};

static enum tc_status at_after(struct tc_job *job, const struct tc_view *view)
{
	struct trip *trip = job->state;

	trip->compare.sides[TC_AFTER].view = view;
	return write_loaded(&trip->compare, trip->format);
}

static enum tc_status at_before(struct tc_job *job, const struct tc_view *view)
{
	struct trip *trip = job->state;

	trip->compare.sides[TC_BEFORE].view = view;
	return tc_view_one(&trip->compare.sides[TC_AFTER].job, trip->ids[TC_AFTER], at_after);
}

/* Runs with a job whose options were checked; see tc_job_run(). */
static enum tc_status run(struct tc_job *job)
{
	struct trip *trip = job->state;
	enum tc_status status = TC_OK;

	trip->compare.job = job;
	for (int i = 0; i < TC_COMPARE_SIDES && status == TC_OK; i++) {
		struct tc_compared *side = &trip->compare.sides[i];
		side->job.options.top = job->options.top;
		side->job.state = trip;
		status = choose_trace(&trip->ids[i], side, side->job.options.rank);
	}
	if (status == TC_OK)
		status = tc_view_one(
			&trip->compare.sides[TC_BEFORE].job, trip->ids[TC_BEFORE], at_before);
	return status;
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
