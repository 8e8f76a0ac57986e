/*
 * The report as pages: one for each job, one for each trace that is not a rank of a job. A page
 * starts with one screen: what the run was, the verdict, where the time went, what to fix, and the
 * command that shows more. Everything else is folded.
 */
#include <limits.h>

#include "report/text/format.h"
#include "report/view/view.h"
#include "report/screen/screen.h"
#include "report/sections/section.h"

#define FOLDED "all findings, host time, tables, and what was not checked"
#define INDENT 2 /* of a line of text */

static void append_rank(struct tc_buf *line, const struct tc_view *view)
{
	if (view->rank < 0)
		return;
	tc_buf_format(line, ", rank %lld", (long long)view->rank);
	if (view->world_size > 0)
		tc_buf_format(line, " of %s", tc_show_count(view->world_size).text);
	if (view->backend.len > 0)
		TC_APPEND(line, TC_TEXT(" ("), view->backend, TC_TEXT(")"));
}

/* The mean of a step is that of the steps that are not warm-up, as comparisons and batches have it.
 */
static void append_steps(struct tc_buf *line, const struct tc_job *job, const struct tc_view *view)
{
	const struct tc_metric_set *run = &view->whole.run;
	int64_t steady_count = tc_metric(run, TC_METRIC_STEADY);
	int64_t sum_ns = tc_metric(run, steady_count > 0 ? TC_METRIC_STEADY_SUM : TC_METRIC_WALL);

	if (view->step_count == 0) {
		tc_buf_append_string(line, ", no steps");
		return;
	}
	tc_view_append_count(line, view->step_count, "step");
	if (view->step_count > 1)
		tc_buf_format(line, " (%lld to %lld, mean ", (long long)view->step_first,
			(long long)view->step_last);
	else
		tc_buf_append_string(line, " of ");
	tc_format_ns(line, sum_ns / (steady_count > 0 ? steady_count : view->step_count));
	if (steady_count > 0 && steady_count < view->step_count)
		tc_buf_append_string(line, " without warm-up");
	tc_buf_append_string(line, view->step_count > 1 ? ")" : "");
	if (job->options.step >= 0)
		tc_buf_format(line, ", only step %lld shown", (long long)job->options.step);
}

void tc_put_run(struct tc_job *job, const struct tc_view *view)
{
	const struct tc_metric_set *run = &view->whole.run;
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 1);
	tc_view_append_kind(line, view);
	if (tc_view_has(view, TC_METRIC_HAS_DEVICE))
		tc_view_append_count(line, tc_metric(run, TC_METRIC_DEVICE_COUNT), "device");
	append_rank(line, view);
	append_steps(line, job, view);
	tc_view_append_count(line, view->event_count, "event");
	if (view->step_count > 0)
		return;
	tc_buf_format(line, ", %s", tc_show_ns(tc_metric(run, TC_METRIC_WALL)).text);
}

static void put_verdict(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf headline = TC_BUF_EMPTY, limits = TC_BUF_EMPTY;

	tc_verdict_parts(&headline, &limits, job, view);
	tc_doc_break(&job->doc);
	tc_doc_paragraph(&job->doc);
	tc_doc_take(&job->doc, &headline);
	tc_doc_tone(&job->doc, TC_TONE_STRONG);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 2);
	tc_doc_paragraph(&job->doc);
	tc_doc_take(&job->doc, &limits);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LIMITS, 1);
	tc_put_first_notes(job, view);
}

/* A path that is too long for a line loses its first folders. */
static void put_title(struct tc_job *job, const struct tc_view *view)
{
	size_t width = job->write == tc_doc_write_text && job->options.width > 4
			       ? (size_t)job->options.width
			       : SIZE_MAX;
	struct tc_text whole = tc_view_title(job, view), rest = whole;

	while (rest.len > width - (rest.len < whole.len ? 4 : 0) &&
		tc_text_after(rest, TC_TEXT("/"), &rest))
		;
	struct tc_buf *title = tc_doc_title(&job->doc);
	tc_buf_append_string(title, rest.len < whole.len ? ".../" : "");
	tc_buf_append_text(title, rest);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 1);
}

/* "tracecoach explain trace.json 1"; "TRACE" stands for an empty path. */
static void append_explain(struct tc_buf *command, const struct tc_view *view, struct tc_text path)
{
	tc_buf_append_string(command, "tracecoach explain ");
	if (path.len > 0)
		tc_format_shell_word(command, path);
	else
		tc_buf_append_string(command, view->trace_count > 1 ? "TRACES" : "TRACE");
	if (view->trace_count > 1 && view->rank >= 0)
		tc_buf_format(command, " --rank %lld", (long long)view->rank);
	tc_buf_append_string(command, " 1");
}

/* Puts the command that shows a fix in detail; none for a trace from standard input, which cannot
 * be read again. A command is never wrapped, so that it can be copied: it gets its own line, or
 * TRACE replaces its path; TRACES stands for several. */
static void put_more(struct tc_job *job, const struct tc_view *view, const struct tc_fixes *fixes)
{
	struct tc_text path = job->store_path ? tc_text_from(job->store_path) : view->path;
	int width = job->write == tc_doc_write_text ? job->options.width - INDENT : INT_MAX;
	struct tc_buf command = TC_BUF_EMPTY;

	if (fixes->count == 0 || tc_text_equal(path, TC_TEXT("-")))
		return;
	/* The trace of one rank alone has other findings than as one of a job. */
	if (!job->store_path && view->trace_count > 1)
		path = TC_TEXT_NONE;
	append_explain(&command, view, path);
	if (tc_format_columns(tc_buf_text(&command)) > width) {
		tc_buf_reset(&command);
		append_explain(&command, view, TC_TEXT_NONE);
	}
	tc_doc_say(&job->doc, "Details of a fix:");
	if (tc_format_columns(tc_buf_text(&command)) + (int)sizeof("Details of a fix:") > width)
		tc_doc_code(&job->doc, "sh");
	else
		tc_buf_append_char(&job->doc.text, ' ');
	tc_doc_take(&job->doc, &command);
}

/* Plain text without --details leaves the folded parts out, so there is no need to compute them. */
static bool shows_folded(const struct tc_job *job)
{
	return job->options.details || job->write != tc_doc_write_text;
}

static void put_folded(struct tc_job *job, const struct tc_view *view, const struct tc_fixes *fixes)
{
	tc_doc_fold(&job->doc, FOLDED);
	if (shows_folded(job)) {
		tc_put_findings(job, view, fixes);
		tc_put_device_details(job, view);
		tc_put_host_time(job, view);
		tc_put_details(job, view);
	}
	tc_put_account(job, view);
	tc_doc_fold_end(&job->doc);
}

void tc_put_screen(struct tc_job *job, const struct tc_view *view, const struct tc_fixes *fixes)
{
	put_verdict(job, view);
	if (!tc_view_shows_time(job, view))
		return;
	tc_put_time(job, view);
	if (!tc_view_has(view, TC_METRIC_HAS_DEVICE))
		tc_put_sections(job, view, "screen");
	if (tc_view_has(view, TC_METRIC_HAS_DEVICE) || fixes->count > 0)
		tc_put_fixes(job, view, fixes);
	tc_put_account_line(job, view);
}

static void put_trace(struct tc_job *job, const struct tc_view *view)
{
	struct tc_fixes fixes;

	if (!tc_fixes_load(&fixes, job, view->id))
		return;
	tc_doc_limit(&job->doc, job->top_given ? 0 : TC_SCREEN_LINES);
	put_title(job, view);
	tc_put_run(job, view);
	tc_put_screen(job, view, &fixes);
	if (tc_view_shows_time(job, view)) {
		put_more(job, view, &fixes);
		put_folded(job, view, &fixes);
	}
	tc_job_write(job);
	tc_fixes_clear(&fixes);
}

void tc_put_pages(struct tc_job *job, void (*put)(struct tc_job *job, const struct tc_view *view))
{
	bool all = job->options.rank < 0;

	tc_left_out_put(job);
	tc_keep_costly(job);
	if (all) {
		tc_put_jobs(job);
		tc_put_traces(job);
	}
	struct tc_views views = all ? tc_views_rest(job) : tc_views_all(job);
	for (const struct tc_view *view; (view = tc_views_next(&views));)
		put(job, view);
}

static void render(struct tc_job *job, tc_doc_write_fn write)
{
	job->write = write;
	if (job->options.explain)
		tc_explain(job);
	else
		tc_put_pages(job, put_trace);
}

void tc_render_text(struct tc_job *job)
{
	render(job, tc_doc_write_text);
}

void tc_render_md(struct tc_job *job)
{
	render(job, tc_doc_write_markdown);
}
