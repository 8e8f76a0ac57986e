/*
 * Metrics as text: blocks of "Metric name:", "Triggered by:", "Generated on:" and "Statistics:",
 * with one line per value. Lists are as Python prints them.
 */
#include "side/metrics.h"
#include "side/reader.h"

struct reader {
	struct tc_side_dump dump;
	struct tc_buf metric, triggered_by, generated_on, json;
};

static void keep(struct tc_buf *buf, struct tc_text text)
{
	tc_buf_reset(buf);
	tc_buf_append_text(buf, tc_text_trim(text));
}

/* Does line start with mark? Then buf keeps what follows. */
static bool take(struct tc_buf *buf, struct tc_text line, struct tc_text mark)
{
	if (!tc_text_starts(line, mark))
		return false;
	keep(buf, (struct tc_text){line.ptr + mark.len, line.len - mark.len});
	return true;
}

/* Is it a line of a block's head? Keeps what it says. */
static bool read_head(struct reader *reader, struct tc_text line)
{
	if (take(&reader->metric, line, TC_TEXT("Metric name:"))) {
		tc_buf_reset(&reader->triggered_by);
		tc_buf_reset(&reader->generated_on);
		reader->dump.ord++;
		return true;
	}
	return take(&reader->triggered_by, line, TC_TEXT("Triggered by:")) ||
	       take(&reader->generated_on, line, TC_TEXT("Generated on:")) ||
	       tc_text_starts(line, TC_TEXT("Statistics:"));
}

/* One character of a Python value outside of strings, as JSON. */
static char as_json(char c)
{
	switch (c) {
	case '\'': return '"';
	case '(': return '[';
	case ')': return ']';
	default: return c;
	}
}

/* Python's {'a': 1} and [('a', 1)] as JSON. */
static void append_json(struct tc_buf *out, struct tc_text python)
{
	char quote = '\0'; /* the quote that opened the string; NUL outside */

	for (size_t i = 0; i < python.len; i++) {
		char c = python.ptr[i];
		if (quote && c != quote) {
			if (c == '"')
				tc_buf_append_char(out, '\\');
			tc_buf_append_char(out, c);
			continue;
		}
		tc_buf_append_char(out, as_json(c));
		if (c == '\'' || c == '"')
			quote = quote ? '\0' : c;
	}
}

static struct tc_text said(const struct tc_buf *buf)
{
	return buf->len > 0 ? tc_buf_text(buf) : TC_TEXT_NONE;
}

static void read_value(struct reader *reader, struct tc_text line)
{
	struct tc_side_dump *dump = &reader->dump;
	struct tc_text value, name;

	if (!tc_text_after(line, TC_TEXT(": "), &value) || reader->metric.len == 0) {
		tc_side_file_damaged(dump->file);
		return;
	}
	name = tc_text_trim(tc_text_before(line, value.ptr - 2));
	value = tc_text_trim(value);
	dump->metric = said(&reader->metric);
	dump->triggered_by = said(&reader->triggered_by);
	dump->generated_on = said(&reader->generated_on);
	if (value.len == 0 || !strchr("{[(", value.ptr[0])) {
		tc_side_dump_text(dump, name, value);
		return;
	}
	tc_buf_reset(&reader->json);
	append_json(&reader->json, value);
	if (tc_buf_failed(&reader->json))
		tc_side_no_memory(dump->file);
	tc_side_dump_json(dump, name, tc_buf_text(&reader->json));
}

static void read_line(struct reader *reader, struct tc_text line)
{
	struct tc_text text = tc_text_trim(line);

	if (text.len > 0 && !read_head(reader, text))
		read_value(reader, text);
	if (tc_buf_failed(&reader->metric) || tc_buf_failed(&reader->triggered_by) ||
		tc_buf_failed(&reader->generated_on))
		tc_side_no_memory(reader->dump.file);
}

static bool is_metrics_text(struct tc_text head)
{
	return tc_text_starts(tc_text_trim(head), TC_TEXT("Metric name:"));
}

static void read(struct tc_side_file *file)
{
	struct reader reader = {.dump = {.file = file}};
	struct tc_text line;

	while (tc_side_file_line(file, &line))
		read_line(&reader, line);
	tc_side_dump_clear(&reader.dump);
	tc_buf_clear(&reader.metric);
	tc_buf_clear(&reader.triggered_by);
	tc_buf_clear(&reader.generated_on);
	tc_buf_clear(&reader.json);
}

const struct tc_side_reader tc_side_metrics_text = {
	.name = "metrics-text",
	.capability = "has_side_metrics",
	.is_it = is_metrics_text,
	.read = read,
};
