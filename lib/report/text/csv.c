#include "core/array.h"
#include "core/text/decimal.h"
#include "report/text/sink.h"

/* True for text that a spreadsheet would calculate: it begins with one of the marks, which count in
 * full width, too, and behind blanks. A plain number is none. */
static bool is_formula(struct tc_text text)
{
	static const char *const marks[] = {
		"=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
	size_t blanks = 0;
	double number;

	if (text.len == 0)
		return false;
	while (blanks < text.len && memchr(" \t\r\n", text.ptr[blanks], 4))
		blanks++;
	struct tc_text rest = {text.ptr + blanks, text.len - blanks};
	bool begins = blanks > 0 && text.ptr[0] != ' ';
	for (size_t i = 0; i < TC_COUNT_OF(marks); i++)
		begins |= tc_text_starts(rest, tc_text_from(marks[i]));
	return begins && !tc_decimal_double(&number, text);
}

void tc_put_csv(struct tc_sink *sink, struct tc_text text, const char *behind)
{
	static const char *const doubled[] = {"\"\""};
	bool quote = false;

	for (size_t i = 0; i < text.len; i++)
		quote |= memchr(",\"\n", text.ptr[i], 3) != NULL;
	tc_sink_put(sink, quote ? "\"" : "");
	tc_sink_put(sink, is_formula(text) ? "'" : "");
	tc_sink_escaped(sink, text, "\"", doubled);
	tc_sink_put(sink, quote ? "\"" : "");
	tc_sink_put(sink, behind);
}
