/* Lines and paragraphs of the report for a terminal; see text.h. */
#include "report/text/text.h"

#include "report/format.h"

void tc_put_style(struct tc_job *job, enum tc_style style)
{
	static const char *const codes[] = {
		"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[36m"};

	if (job->options.color)
		tc_sink_put(&job->sink, codes[style]);
}

void tc_put_heading(struct tc_job *job, const char *heading)
{
	tc_sink_put(&job->sink, "\n");
	tc_put_style(job, TC_STYLE_BOLD);
	tc_sink_put(&job->sink, heading);
	tc_put_style(job, TC_STYLE_PLAIN);
	tc_sink_put(&job->sink, "\n");
}

void tc_put_paragraph(struct tc_job *job, const char *label, int indent, struct tc_text text)
{
	struct tc_buf clean = TC_BUF_EMPTY;
	int first = indent;

	tc_format_clean(&clean, text, job->options.ascii, 0);
	job->sink.buf.failed |= tc_buf_failed(&clean);
	if (label) {
		int columns = tc_format_columns(tc_text_from(label));
		first -= columns < indent ? columns : indent;
	}
	tc_format_pad(&job->sink.buf, first);
	if (label)
		tc_sink_put(&job->sink, label);
	tc_format_wrap(&job->sink.buf, tc_buf_text(&clean), indent, indent, job->options.width);
	tc_sink_put(&job->sink, "\n");
	tc_buf_clear(&clean);
}

void tc_put_line(struct tc_job *job, const char *label, int indent, struct tc_buf *line)
{
	job->sink.buf.failed |= tc_buf_failed(line);
	if (line->len > 0)
		tc_put_paragraph(job, label, indent, tc_buf_text(line));
	tc_buf_clear(line);
}

void tc_put_choice(struct tc_job *job, struct tc_table *table, struct tc_device_choice *choice,
	const char *what)
{
	struct tc_buf line = TC_BUF_EMPTY;
	size_t all = choice->count + choice->hidden;

	job->sink.buf.failed |= choice->devices == NULL;
	if (choice->count > 0)
		tc_table_print(table, &job->sink, job->options.width);
	if (choice->hidden > 0) {
		tc_buf_format(&line, "the %zu %s of ", choice->count, what);
		tc_format_count(&line, (int64_t)all);
		tc_buf_format(&line, "; --top %zu shows all", all);
	}
	tc_put_line(job, NULL, 2, &line);
	tc_table_clear(table);
	tc_view_choice_clear(choice);
}
