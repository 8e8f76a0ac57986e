/* The table of renderers, and what is common to running one. */
#include "report/job.h"
#include "report/text/format.h"

#include <string.h>

#include "core/array.h"
#include "core/buf.h"
#include "report/sections/section.h"
#include "store/connection.h"
#include "tracecoach/report.h"
#include "tracecoach/text.h"

static void check_step(struct tc_job *job)
{
	long long step = (long long)job->options.step;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT count(*), min(number), max(number), total(number = ?1) FROM counted_step",
		job->options.step);

	bool found = tc_rows_next(&rows);
	if (found && tc_rows_int(&rows, 0) == 0)
		tc_fail(job->ctx, TC_ERR_USAGE,
			"there is no step %lld: no steps were recorded; leave --step out", step);
	else if (found && tc_rows_int(&rows, 3) == 0)
		tc_fail(job->ctx, TC_ERR_USAGE, "there is no step %lld: the steps are %lld to %lld",
			step, (long long)tc_rows_int(&rows, 1), (long long)tc_rows_int(&rows, 2));
	tc_rows_close(&rows);
}

static void check_rank(struct tc_job *job)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT count(*) FILTER (WHERE rank = ?1), (SELECT group_concat(rank, ', ') FROM"
		" (SELECT DISTINCT rank FROM trace WHERE rank IS NOT NULL ORDER BY rank LIMIT 64))"
		" FROM trace",
		job->options.rank);

	if (tc_rows_next(&rows) && tc_rows_int(&rows, 0) == 0 && tc_rows_null(&rows, 1))
		tc_fail(job->ctx, TC_ERR_USAGE,
			"no trace says that it is of rank %lld, or of any: leave --rank out",
			(long long)job->options.rank);
	else if (!tc_ctx_failed(job->ctx) && tc_rows_int(&rows, 0) == 0)
		tc_fail(job->ctx, TC_ERR_USAGE, "no trace of rank %lld: the ranks are %s",
			(long long)job->options.rank, tc_rows_text(&rows, 1).ptr);
	tc_rows_close(&rows);
}

void tc_job_write(struct tc_job *job)
{
	if (job->doc.block_count > 0 && job->page_count++ > 0)
		tc_sink_put(&job->sink, "\n");
	job->write(&job->doc, &job->sink, &job->options);
	tc_doc_clear(&job->doc);
}

void tc_job_say_more(struct tc_job *job, size_t hidden, const char *what, size_t top)
{
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	tc_buf_format(line, "%s more%s", tc_show_count((int64_t)hidden).text, what);
	if (!tc_job_is_page(job) && top > 0)
		tc_buf_format(line, ": %s %zu shows all", tc_ctx_word(job->ctx, "--top"), top);
	else if (!tc_job_is_page(job))
		tc_buf_format(line, ": %s shows all", tc_ctx_word(job->ctx, "--details"));
	tc_buf_append_char(line, '.');
}

int tc_report_width(int asked)
{
	if (asked <= 0)
		return 80;
	if (asked < TC_REPORT_WIDTH_LEAST)
		return TC_REPORT_WIDTH_LEAST;
	return asked > TC_REPORT_WIDTH_MOST ? TC_REPORT_WIDTH_MOST : asked;
}

bool tc_job_begin(struct tc_job *job)
{
	struct tc_report_options *options = &job->options;

	TC_CHECK_SIZE(job->ctx, options);
	job->sink.ctx = job->ctx;
	job->sink.styled = options->color;
	job->top_given = options->top > 0;
	if (!job->top_given)
		options->top = TC_REPORT_DEFAULT_TOP;
	options->width = tc_report_width(options->width);
	if (!options->has_step)
		options->step = -1;
	else
		check_step(job);
	if (!options->has_rank)
		options->rank = -1;
	else
		check_rank(job);
	if (job->db)
		tc_sections_add_functions(job->ctx, job->db);
	return !tc_ctx_failed(job->ctx);
}

enum tc_status tc_job_end(struct tc_job *job)
{
	tc_sections_free(job->sections);
	tc_doc_clear(&job->doc);
	return tc_sink_close(&job->sink, job->ctx);
}

#define TC_RENDERER(function, name, help)                                                          \
	static enum tc_status function(struct tc_ctx *ctx, struct tc_store *store,                 \
		const struct tc_advice *advice, const struct tc_report_options *options,           \
		tc_write_fn write, void *user)                                                     \
	{                                                                                          \
		static const struct tc_report_options none = {0};                                  \
                                                                                                   \
		TC_ENTER(ctx);                                                                     \
		struct tc_job job = {.ctx = ctx,                                                   \
			.db = tc_store_db(store),                                                  \
			.store_path = tc_store_path(store),                                        \
			.advice = advice,                                                          \
			.options = options ? *options : none};                                     \
                                                                                                   \
		tc_sink_init(&job.sink, write, user);                                              \
		if (!advice)                                                                       \
			tc_fail(ctx, TC_ERR_USAGE, "a report needs advice: tc_advise_store()");    \
		if (tc_job_begin(&job))                                                            \
			tc_render_##function(&job);                                                \
		return tc_job_end(&job);                                                           \
	}
#include "report/renderers.def"
#undef TC_RENDERER

static const struct tc_renderer renderers[] = {
#define TC_RENDERER(function, name, help) {name, help, function},
#include "report/renderers.def"
#undef TC_RENDERER
};

const struct tc_renderer *tc_renderers(size_t *count)
{
	*count = TC_COUNT_OF(renderers);
	return renderers;
}

/* ---- pages for those who ask */

/* Texts that the build makes of docs/NAME.md. */
extern const char tc_page_cookbook[], tc_page_edits[], tc_page_schema[];

const struct tc_page *tc_pages(void)
{
	static const struct tc_page pages[] = {{"cookbook", tc_page_cookbook},
		{"edits", tc_page_edits}, {"schema", tc_page_schema}, {NULL, NULL}};

	return pages;
}

/* ---- a report as one text */

static int append_to_buf(void *user, const char *bytes, size_t len)
{
	tc_buf_append(user, bytes, len);
	return tc_buf_failed(user) ? -1 : 0;
}

char *tc_report(struct tc_ctx *ctx, struct tc_store *store, const struct tc_advice *advice,
	const char *format, const struct tc_report_options *options)
{
	const struct tc_renderer *renderer = NULL;
	const char *names[TC_COUNT_OF(renderers)];
	struct tc_buf text = {.ctx = ctx};

	TC_ENTER(ctx);
	for (size_t i = 0; i < TC_COUNT_OF(renderers); i++) {
		names[i] = renderers[i].name;
		if (strcmp(names[i], format) == 0)
			renderer = &renderers[i];
	}
	const char *near = renderer ? NULL : tc_nearest(format, names, TC_COUNT_OF(names));
	if (!renderer)
		tc_fail(ctx, TC_ERR_USAGE, "no report has the format '%s': %s %s%s", format,
			near ? "did you mean" : "there are",
			near ? near : tc_buf_list(&text, names, TC_COUNT_OF(names)),
			near ? "?" : "");
	else
		renderer->render(ctx, store, advice, options, append_to_buf, &text);
	char *taken = tc_ctx_failed(ctx) ? NULL : tc_buf_take_string(&text);
	tc_buf_clear(&text);
	return taken;
}

char *tc_report_json(struct tc_ctx *ctx, struct tc_store *store, const struct tc_advice *advice,
	const struct tc_report_options *options)
{
	return tc_report(ctx, store, advice, "json", options);
}
