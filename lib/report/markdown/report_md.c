/*
 * The report as Markdown, for an issue or a chat: verdict, advice with evidence and query, and
 * the account. The numbers are those of the text report.
 */
#include <ctype.h>

#include "advice/advice_names.h"
#include "report/evidence.h"
#include "report/format.h"
#include "report/left_out.h"
#include "report/markdown/markdown.h"
#include "report/ranks.h"
#include "report/view.h"

static enum tc_status put_verdict(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf text = TC_BUF_EMPTY;
	enum tc_status status = tc_verdict(&text, job, view);

	job->sink.buf.failed |= tc_buf_failed(&text);
	tc_put_markdown(job, tc_buf_text(&text));
	tc_sink_put(&job->sink, "\n");
	tc_buf_clear(&text);
	return status;
}

static void put_evidence(struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_buf line = TC_BUF_EMPTY;
	size_t limit = (size_t)job->options.top;

	for (size_t i = 0; i <= finding->evidence_count; i++) {
		bool common = i == finding->evidence_count;
		if (i >= limit && !common)
			continue;
		tc_buf_reset(&line);
		if (common)
			tc_evidence_common(&line, finding);
		else
			tc_evidence_line(&line, job, finding, i);
		if (line.len == 0)
			continue;
		job->sink.buf.failed |= tc_buf_failed(&line);
		tc_sink_put(&job->sink, "- ");
		tc_put_markdown(job, tc_buf_text(&line));
		tc_sink_put(&job->sink, "\n");
	}
	tc_buf_clear(&line);
}

/* SQL without the line ends behind it. */
static struct tc_text trimmed(const char *sql)
{
	struct tc_text text = tc_text_from(sql);

	while (text.len > 0 && text.ptr[text.len - 1] == '\n')
		text.len--;
	return text;
}

static void put_finding(struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_buf gain = TC_BUF_EMPTY;

	tc_sink_put(&job->sink, "\n### ");
	tc_put_markdown(job, tc_text_from(finding->heuristic->title));
	tc_sink_put(&job->sink, "\n\n");
	tc_evidence_gain(&gain, finding);
	if (gain.len > 0) {
		gain.ptr[0] = (char)toupper((unsigned char)gain.ptr[0]);
		tc_buf_append_string(&gain, "; ");
	}
	tc_buf_format(&gain, "severity %s, %s.\n\n", tc_severity_name(finding->severity),
		tc_confidence_name(finding->confidence));
	tc_evidence_cap(&gain, finding);
	if (tc_evidence_is_capped(finding))
		tc_buf_append_string(&gain, "\n\n");
	job->sink.buf.failed |= tc_buf_failed(&gain);
	tc_sink_text(&job->sink, tc_buf_text(&gain));
	tc_buf_clear(&gain);
	put_evidence(job, finding);
	tc_sink_put(&job->sink, "\n");
	tc_put_markdown(job, tc_text_from(finding->advice));
	if (finding->heuristic->file) {
		tc_sink_put(&job->sink, " User rule: ");
		tc_put_markdown(job, tc_text_from(finding->heuristic->file));
	} else {
		tc_sink_format(
			&job->sink, " More: `tracecoach heuristics %s`.", finding->heuristic->id);
	}
	tc_sink_put(&job->sink, "\n\n```sql\n");
	tc_sink_text(&job->sink, trimmed(finding->sql));
	tc_sink_put(&job->sink, "\n```\n");
}

static void put_account(struct tc_job *job, const struct tc_view *view)
{
	static const enum tc_outcome outcomes[] = {TC_OUTCOME_FIRED, TC_OUTCOME_QUIET,
		TC_OUTCOME_NOT_APPLICABLE, TC_OUTCOME_NOT_ASKED, TC_OUTCOME_FAILED};

	tc_sink_put(&job->sink, "\n## Account\n\n| outcome | heuristics |\n|---|---|\n");
	for (size_t k = 0; k < sizeof(outcomes) / sizeof(outcomes[0]); k++) {
		const char *separator = " | ";
		tc_sink_format(&job->sink, "| %s", tc_outcome_name(outcomes[k]));
		for (size_t i = 0; i < job->advice->account_count; i++) {
			const struct tc_account_row *row = &job->advice->account[i];
			if (row->trace_id != view->id || row->outcome != outcomes[k])
				continue;
			tc_sink_format(&job->sink, "%s%s", separator, row->heuristic->id);
			separator = ", ";
		}
		tc_sink_put(&job->sink, *separator == ' ' ? " | |\n" : " |\n");
	}
}

static void put_settings(struct tc_job *job)
{
	for (size_t i = 0; i < job->advice->setting_count; i++) {
		const struct tc_setting *setting = &job->advice->settings[i];

		tc_sink_put(&job->sink, i == 0 ? "\nSettings other than the defaults:\n\n" : "");
		tc_sink_format(&job->sink, "- `%s.%s = %.10g` (default %.10g %s)\n",
			setting->heuristic->id, setting->param->name, setting->value,
			setting->param->value, setting->param->unit);
	}
}

static enum tc_status put_trace(struct tc_job *job, const struct tc_view *view)
{
	tc_sink_put(&job->sink, view->index > 0 ? "\n# " : "# ");
	tc_put_markdown(job, view->path);
	tc_sink_put(&job->sink, "\n\n");
	enum tc_status status = put_verdict(job, view);
	tc_sink_put(&job->sink, "\n## Advice\n");
	size_t count = 0;
	for (size_t i = 0; i < job->advice->finding_count && status == TC_OK; i++) {
		if (job->advice->findings[i].trace_id != view->id)
			continue;
		count++;
		put_finding(job, &job->advice->findings[i]);
	}
	if (count == 0)
		tc_sink_put(&job->sink,
			tc_verdict_judges(view)
				? "\nNo heuristic found anything in this trace.\n"
				: "\nNone: this trace cannot show where time is lost.\n");
	put_account(job, view);
	put_settings(job);
	return status;
}

static void put_time(struct tc_job *job, int64_t ns)
{
	if (ns < 0)
		tc_sink_put(&job->sink, "?");
	else
		tc_format_ns(&job->sink.buf, ns);
	tc_sink_put(&job->sink, " | ");
}

static void put_line(struct tc_job *job, const struct tc_rank_line *line)
{
	tc_sink_format(&job->sink, "| %lld | ", (long long)line->rank);
	put_time(job, line->step_count > 0 ? line->step_mean_ns : line->wall_ns);
	put_time(job, line->compute_ns);
	put_time(job, line->exposed_ns);
	put_time(job, line->wait_ns);
	put_time(job, line->idle_ns);
	tc_sink_format(&job->sink, "%lld | ", (long long)line->late_count);
	tc_put_markdown(job, tc_text_from(line->top ? line->top->heuristic->title : "-"));
	tc_sink_put(&job->sink, " |\n");
}

static void put_gain(struct tc_job *job, int64_t gain_ns)
{
	if (gain_ns != TC_GAIN_NONE && gain_ns > 0)
		tc_format_ns(&job->sink.buf, gain_ns);
	else
		tc_sink_put(&job->sink, "-");
	tc_sink_put(&job->sink, " | ");
}

/* Ranks of a job together, as in the text report. */
static enum tc_status put_ranks(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_buf text = TC_BUF_EMPTY;
	enum tc_status status = tc_ranks_verdict(&text, job, ranks);

	tc_sink_format(&job->sink, "# One job, %zu of its %lld ranks\n\n", ranks->count,
		(long long)ranks->world_size);
	job->sink.buf.failed |= tc_buf_failed(&text);
	tc_put_markdown(job, tc_buf_text(&text));
	tc_buf_clear(&text);
	tc_sink_put(&job->sink,
		"\n\n| rank | step mean | compute | exposed communication | waiting |"
		" idle | late | top advice |\n|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < ranks->count; i++)
		put_line(job, &ranks->lines[i]);
	tc_sink_put(&job->sink,
		"\n| job, up to | most on a rank | ranks | advice |\n|---|---|---|---|\n");
	for (size_t i = 0; i < ranks->advice_count; i++) {
		const struct tc_rank_advice *advice = &ranks->advice[i];
		tc_sink_put(&job->sink, "| ");
		put_gain(job, advice->gain_ns);
		put_gain(job, advice->largest->gain_ns);
		tc_sink_format(&job->sink, "%zu of %zu | ", advice->rank_count, ranks->count);
		tc_put_markdown(job, tc_text_from(advice->finding->heuristic->title));
		tc_sink_put(&job->sink, " |\n");
	}
	tc_sink_put(&job->sink, "\n");
	return status;
}

enum tc_status tc_render_md(struct tc_job *job)
{
	enum tc_status status = tc_left_out_put_markdown(job);

	if (status == TC_OK && job->options.rank >= 0)
		return tc_view_each(job, put_trace);
	if (status == TC_OK)
		status = tc_ranks_each(job, put_ranks);
	return status == TC_OK ? tc_view_rest(job, put_trace) : status;
}
