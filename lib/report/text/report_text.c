/*
 * The report for a terminal. First one screen: what the run was, the verdict, where the time
 * went, the ranking. Then each advice, the host, the account, and the details, under headings.
 */
#include "report/text/text.h"

#include "report/format.h"
#include "report/left_out.h"

/* ", <word> <text>" when there is text. */
static void append_member(struct tc_buf *line, const char *before, struct tc_text text)
{
	if (text.len == 0)
		return;
	tc_buf_append_string(line, before);
	tc_buf_append_text(line, text);
}

static void append_rank(struct tc_buf *line, const struct tc_view *view)
{
	if (view->rank < 0)
		return;
	tc_buf_format(line, ", rank %lld", (long long)view->rank);
	if (view->world_size > 0)
		tc_buf_format(line, " of %lld", (long long)view->world_size);
	if (view->backend.len > 0) {
		tc_buf_append_string(line, " (");
		tc_buf_append_text(line, view->backend);
		tc_buf_append_char(line, ')');
	}
}

static void append_counted(struct tc_buf *line, int64_t count, const char *noun)
{
	tc_buf_append_string(line, ", ");
	tc_format_count(line, count);
	tc_buf_format(line, " %s%s", noun, count == 1 ? "" : "s");
}

static void append_steps(struct tc_buf *line, const struct tc_job *job, const struct tc_view *view)
{
	if (view->step_count == 0) {
		tc_buf_append_string(line, ", no steps");
		return;
	}
	append_counted(line, view->step_count, "step");
	if (view->step_count > 1)
		tc_buf_format(line, " (%lld to %lld)", (long long)view->step_first,
			(long long)view->step_last);
	if (job->options.step >= 0)
		tc_buf_format(line, ", only step %lld shown", (long long)job->options.step);
}

/* What the run was, in a line or two below the name of the file. */
static void put_run(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf line = TC_BUF_EMPTY;
	const struct tc_metric_set *run = &view->whole.run;

	tc_buf_append_text(&line, view->format);
	append_member(&line, ", ", view->device_name.len > 0 ? view->device_name : view->vendor);
	if (view->device_memory_bytes > 0) {
		tc_buf_append_string(&line, " with ");
		tc_format_bytes(&line, view->device_memory_bytes);
	}
	append_counted(&line, tc_metric(run, TC_REPORT_DEVICE_COUNT), "device");
	append_rank(&line, view);
	append_steps(&line, job, view);
	tc_buf_append_string(&line, ", ");
	tc_format_ns(&line, tc_metric(run, TC_REPORT_WALL));
	tc_buf_append_string(&line, " of wall time");
	append_counted(&line, view->event_count, "event");
	tc_buf_append_string(&line, ", ");
	tc_format_bytes(&line, view->read_bytes);
	tc_put_line(job, NULL, 2, &line);
}

static enum tc_status put_verdict(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf text = TC_BUF_EMPTY;
	enum tc_status status = tc_verdict(&text, job, view);

	tc_put_heading(job, "Verdict");
	tc_put_line(job, NULL, 2, &text);
	return status;
}

static enum tc_status put_trace(struct tc_job *job, const struct tc_view *view)
{
	static enum tc_status (*const parts[])(struct tc_job *, const struct tc_view *) = {
		put_verdict, tc_put_time, tc_put_ranking, tc_put_host_time, tc_put_findings,
		tc_put_account, tc_put_details, tc_put_queries};
	bool absent = job->options.step >= 0 && !view->step_here;
	enum tc_status status = TC_OK;

	if (view->trace_count > 1)
		tc_sink_put(&job->sink, "\n");
	tc_put_style(job, TC_STYLE_BOLD);
	tc_put_paragraph(job, NULL, 0, view->path);
	tc_put_style(job, TC_STYLE_PLAIN);
	put_run(job, view);
	for (size_t i = 0; i < (absent ? 1 : sizeof(parts) / sizeof(parts[0])); i++)
		if (status == TC_OK)
			status = parts[i](job, view);
	return status;
}

enum tc_status tc_render_text(struct tc_job *job)
{
	enum tc_status status = tc_left_out_put_text(job);

	if (status == TC_OK && job->options.rank >= 0)
		return tc_view_each(job, put_trace);
	if (status == TC_OK)
		status = tc_put_jobs(job);
	if (status == TC_OK)
		status = tc_put_traces(job);
	return status == TC_OK ? tc_view_rest(job, put_trace) : status;
}
