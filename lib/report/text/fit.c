/* Makes texts of other programs fit for a terminal. See tracecoach/text.h. */
#include "report/text/format.h"
#include "tracecoach/text.h"

/* The fewest columns for a text beside its label. With fewer left, the text goes below the label,
 * indented. */
#define TEXT_LEAST 24
#define TEXT_INDENT 4

char *tc_text_line(const char *text, int columns)
{
	struct tc_buf line = TC_BUF_EMPTY;

	tc_format_clean(&line, tc_text_from(text), false, 0);
	if (columns >= 0)
		line.len = tc_format_prefix(tc_buf_text(&line), columns);
	return tc_buf_take_string(&line);
}

char *tc_text_wrap(const char *label, const char *text, int indent, int width)
{
	struct tc_buf lines = TC_BUF_EMPTY;
	int used = tc_format_columns(tc_text_from(label));

	tc_buf_append_string(&lines, label);
	if (used > 0 && (used + 1 > indent || width - indent < TEXT_LEAST)) {
		tc_buf_append_char(&lines, '\n');
		indent = TEXT_INDENT;
		used = 0;
	}
	tc_format_pad(&lines, indent - used);
	tc_format_wrap(&lines, tc_text_from(text), indent, indent, width);
	tc_buf_append_char(&lines, '\n');
	return tc_buf_take_string(&lines);
}
