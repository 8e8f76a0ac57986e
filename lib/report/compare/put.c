/* Headings, paragraphs and tables of a comparison; see compare_put.h. */
#include "report/compare/put.h"

#include "core/saturate.h"
#include "report/format.h"
#include "report/markdown/markdown.h"

void tc_compare_put_heading(const struct tc_compare *compare, const char *heading)
{
	if (!compare->markdown)
		tc_put_heading(compare->job, heading);
	else
		tc_sink_format(&compare->job->sink, "\n## %s\n", heading);
}

void tc_compare_put_line(
	const struct tc_compare *compare, const char *label, int indent, struct tc_buf *line)
{
	struct tc_job *job = compare->job;

	job->sink.buf.failed |= tc_buf_failed(line);
	if (!compare->markdown) {
		tc_put_line(job, label, indent, line);
		return;
	}
	if (line->len > 0) {
		tc_sink_put(&job->sink, "\n");
		tc_put_markdown(job, tc_text_from(label ? label : ""));
		tc_put_markdown(job, tc_buf_text(line));
		tc_sink_put(&job->sink, "\n");
	}
	tc_buf_clear(line);
}

void tc_compare_put_note(const struct tc_compare *compare, const char *text)
{
	struct tc_buf line = TC_BUF_EMPTY;

	tc_buf_append_string(&line, text);
	tc_compare_put_line(compare, NULL, 2, &line);
}

static void put_markdown_table(struct tc_job *job, const struct tc_table *table)
{
	size_t columns = (size_t)table->column_count;

	tc_sink_put(&job->sink, "\n|");
	for (int c = 0; c < table->column_count; c++) {
		tc_sink_put(&job->sink, " ");
		tc_put_markdown(job, tc_table_title(table, c));
		tc_sink_put(&job->sink, " |");
	}
	tc_sink_put(&job->sink, "\n|");
	tc_sink_fill(&job->sink, "---|", table->column_count);
	for (size_t i = 0; i < table->count; i++) {
		tc_sink_put(&job->sink, i % columns == 0 ? "\n| " : " ");
		tc_put_markdown(job, tc_table_cell(table, i));
		tc_sink_put(&job->sink, " |");
	}
	tc_sink_put(&job->sink, "\n");
}

bool tc_compare_put_table(
	const struct tc_compare *compare, const char *heading, struct tc_table *table)
{
	struct tc_job *job = compare->job;
	bool any = table->count > 0;

	if (any) {
		tc_compare_put_heading(compare, heading);
		job->sink.buf.failed |= tc_buf_failed(&table->text);
		if (compare->markdown && !tc_buf_failed(&table->text))
			put_markdown_table(job, table);
		else
			tc_table_print(table, &job->sink, job->options.width);
	}
	tc_table_clear(table);
	return any;
}

void tc_compare_end_cell(struct tc_table *table, struct tc_buf *cell)
{
	table->text.failed |= tc_buf_failed(cell);
	tc_table_text(table, tc_buf_text(cell));
	tc_buf_clear(cell);
}

void tc_compare_put_signed(struct tc_table *table, int64_t ns)
{
	struct tc_buf cell = TC_BUF_EMPTY;

	if (ns > 0)
		tc_buf_append_char(&cell, '+');
	tc_format_ns(&cell, ns);
	tc_compare_end_cell(table, &cell);
}

void tc_compare_put_times(struct tc_table *table, int64_t before_ns, int64_t after_ns)
{
	tc_table_ns(table, before_ns);
	tc_table_ns(table, after_ns);
	tc_compare_put_signed(table, tc_sub_saturated(after_ns, before_ns));
}
