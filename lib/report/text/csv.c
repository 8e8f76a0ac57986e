/* See csv.h. */
#include "report/text/csv.h"

void tc_put_csv(struct tc_sink *sink, struct tc_text text, const char *behind)
{
	bool quote = false;

	for (size_t i = 0; i < text.len; i++)
		quote |= memchr(",\"\r\n", text.ptr[i], 4) != NULL;
	if (!quote) {
		tc_sink_text(sink, text);
		tc_sink_put(sink, behind);
		return;
	}
	tc_sink_put(sink, "\"");
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			tc_sink_put(sink, "\"");
		tc_sink_text(sink, (struct tc_text){text.ptr + i, 1});
	}
	tc_sink_put(sink, "\"");
	tc_sink_put(sink, behind);
}
