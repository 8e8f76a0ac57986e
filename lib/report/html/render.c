/*
 * tracecoach --format html: one file with the whole report, which opens by a double click. The
 * first screen is that of the text report; findings, tables and the account unfold below it.
 *
 * The page around it is page/report.html, with its style and scripts put in by the build. What the
 * trace says gets into it as escaped text only.
 */
#include "report/html/parts.h"
#include "report/screen/screen.h"

#define TIMELINE_LEAST 20000 /* limit on the items of all timelines together */
#define DEFAULT_ROWS 50      /* rows of each table; tables are folded and can be filtered */

static void put_rest(struct tc_job *job, const struct tc_view *view, const struct tc_fixes *fixes)
{
	tc_put_cards(job, view, fixes);
	tc_job_write(job);
	const struct tc_timeline_options timeline = {
		.budget = TC_TIMELINE_ITEMS /
				  (job->options.rank < 0 ? (size_t)view->trace_count : 1) +
			  TIMELINE_LEAST,
		.heading = "Timeline"};
	tc_put_timeline(&job->sink, job, view, &timeline);
	tc_put_tree(job, view);
	tc_doc_fold(&job->doc, "Devices, host and tables");
	tc_put_device_details(job, view);
	tc_put_host_time(job, view);
	tc_put_details(job, view);
	tc_doc_fold_end(&job->doc);
	tc_doc_fold(&job->doc, "What was not checked, and the import log");
	tc_put_account(job, view);
	tc_doc_fold_end(&job->doc);
}

static void put_trace(struct tc_job *job, const struct tc_view *view)
{
	struct tc_fixes fixes;

	if (!tc_fixes_load(&fixes, job, view->id))
		return;
	job->write = tc_doc_write_html;
	tc_sink_put(&job->sink, "<article>\n");
	tc_buf_append_text(tc_doc_title(&job->doc), view->path);
	tc_put_run(job, view);
	tc_put_screen(job, view, &fixes);
	if (tc_view_shows_time(job, view))
		put_rest(job, view, &fixes);
	tc_job_write(job);
	tc_sink_put(&job->sink, "</article>\n");
	job->write = tc_page_article;
	tc_fixes_clear(&fixes);
}

/* The first trace stands for the others: a store may have no name. */
static void append_title(struct tc_buf *title, struct tc_job *job)
{
	struct tc_rows rows =
		tc_rows_open(job->ctx, job->db, "SELECT path FROM trace ORDER BY id LIMIT 1");

	if (tc_rows_next(&rows))
		tc_buf_append_text(title, tc_rows_text(&rows, 0));
	tc_rows_close(&rows);
}

void tc_render_html(struct tc_job *job)
{
	struct tc_buf title = TC_BUF_EMPTY;

	append_title(&title, job);
	job->options.top = job->top_given ? job->options.top : DEFAULT_ROWS;
	job->write = tc_page_article;
	tc_page_begin(&job->sink, tc_buf_text(&title));
	tc_buf_clear(&title);
	tc_put_pages(job, put_trace);
	if (job->options.rank < 0)
		tc_page_put_jobs(job);
	tc_page_end(&job->sink);
}
