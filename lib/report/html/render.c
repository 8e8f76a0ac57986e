/*
 * tracecoach --format html: one file with the whole report, which opens by a double click. The first
 * screen is that of the text report; findings, tables and the account unfold below it.
 *
 * The page around it is page/report.html, with its style and scripts put in by the build. What the
 * trace says gets into it as escaped text only.
 */
#include "report/html/grid.h"
#include "report/html/page.h"
#include "report/html/timeline.h"
#include "report/html/tree.h"
#include "report/screen/screen.h"

#define TIMELINE_LEAST 20000 /* items, however many traces share a page */
#define DEFAULT_ROWS 50      /* of each table: they are folded, and can be filtered */

static enum tc_status put_rest(
	struct tc_job *job, const struct tc_view *view, const struct tc_fixes *fixes)
{
	enum tc_status status = TC_OK;

	tc_put_cards(job, view, fixes);
	tc_job_write(job);
	const struct tc_timeline_options timeline = {
		.budget = TC_TIMELINE_ITEMS / (size_t)view->trace_count + TIMELINE_LEAST,
		.heading = "Timeline"};
	status = tc_put_timeline(&job->sink, job, view, &timeline);
	if (status == TC_OK)
		status = tc_put_tree(job, view);
	tc_doc_fold(&job->doc, "Devices, host and tables");
	tc_put_device_details(job, view);
	tc_put_host_time(job, view);
	if (status == TC_OK)
		status = tc_put_details(job, view);
	tc_doc_fold_end(&job->doc);
	tc_doc_fold(&job->doc, "What was not checked, and the import log");
	if (status == TC_OK)
		status = tc_put_account(job, view);
	tc_doc_fold_end(&job->doc);
	return status;
}

static enum tc_status put_trace(struct tc_job *job, const struct tc_view *view)
{
	struct tc_fixes fixes;
	enum tc_status status = tc_fixes_load(&fixes, job, view->id);

	if (status != TC_OK)
		return status;
	job->write = tc_doc_write_html;
	tc_sink_put(&job->sink, "<article>\n");
	tc_doc_title(&job->doc, view->path);
	tc_put_run(job, view);
	status = tc_put_screen(job, view, &fixes);
	if (status == TC_OK && tc_view_shows_time(job, view))
		status = put_rest(job, view, &fixes);
	tc_job_write(job);
	tc_sink_put(&job->sink, "</article>\n");
	job->write = tc_page_article;
	tc_fixes_clear(&fixes);
	return status;
}

/* The first trace stands for the others: a store may have no name. */
static enum tc_status append_title(struct tc_buf *title, struct tc_job *job)
{
	struct tc_rows rows;

	tc_rows_open(&rows, job->ctx, job->db, "SELECT path FROM trace ORDER BY id LIMIT 1");
	if (tc_rows_next(&rows))
		tc_buf_append_text(title, tc_rows_text(&rows, 0));
	return tc_rows_close(&rows);
}

static enum tc_status put_rank(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf heading = TC_BUF_EMPTY;

	tc_buf_format(&heading, "Timeline of rank %lld", (long long)view->rank);
	const struct tc_timeline_options options = {.budget = TC_TIMELINE_ITEMS / 2,
		.heading = tc_buf_string(&heading),
		.is_linked = true};
	enum tc_status status = options.heading ? tc_put_timeline(&job->sink, job, view, &options)
						: tc_no_memory(job->ctx);
	tc_buf_clear(&heading);
	return status;
}

/* What ranks of a job took for each step, and of the first job two ranks one above the other: the one that
 * is late most often, and the one that is so least. */
static enum tc_status put_jobs(struct tc_job *job)
{
	int64_t ids[2] = {-1, -1};
	struct tc_rows rows;
	enum tc_status status = tc_put_rank_grids(job);

	tc_rows_open(&rows, job->ctx, job->db,
		"SELECT trace_id FROM job_rank WHERE job_id = (SELECT min(job_id) FROM job_rank)"
		" ORDER BY coalesce(late_count, 0) DESC, coalesce(wait_ns, 0), rank");
	while (tc_rows_next(&rows))
		ids[ids[0] >= 0] = tc_rows_int(&rows, 0);
	enum tc_status read = tc_rows_close(&rows);
	status = status != TC_OK ? status : read;
	for (int i = 0; i < 2 && status == TC_OK && !job->options.details; i++)
		if (ids[i] >= 0)
			status = tc_view_one(job, ids[i], put_rank);
	return status;
}

enum tc_status tc_render_html(struct tc_job *job)
{
	struct tc_buf title = TC_BUF_EMPTY;
	enum tc_status status = append_title(&title, job);

	job->options.top = job->top_given ? job->options.top : DEFAULT_ROWS;
	job->write = tc_page_article;
	tc_page_begin(&job->sink, tc_buf_text(&title));
	tc_buf_clear(&title);
	if (status == TC_OK)
		status = tc_put_pages(job, put_trace);
	if (status == TC_OK && job->options.rank < 0)
		status = put_jobs(job);
	tc_page_end(&job->sink);
	return status;
}
