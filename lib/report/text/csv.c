/* See sink.h. */
#include "report/text/sink.h"

void tc_put_csv(struct tc_sink *sink, struct tc_text text, const char *behind)
{
	bool quote = false;
	size_t from = 0;

	for (size_t i = 0; i < text.len; i++)
		quote |= memchr(",\"\r\n", text.ptr[i], 4) != NULL;
	tc_sink_put(sink, quote ? "\"" : "");
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '"')
			continue;
		tc_sink_text(sink, (struct tc_text){text.ptr + from, i + 1 - from});
		from = i; /* the quote again */
	}
	if (text.len > 0) /* else it may have no address to add to */
		tc_sink_text(sink, (struct tc_text){text.ptr + from, text.len - from});
	tc_sink_put(sink, quote ? "\"" : "");
	tc_sink_put(sink, behind);
}
