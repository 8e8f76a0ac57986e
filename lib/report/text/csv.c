/* See sink.h. */
#include "report/text/sink.h"

void tc_put_csv(struct tc_sink *sink, struct tc_text text, const char *behind)
{
	static const char *const doubled[] = {"\"\""};
	bool quote = false;

	for (size_t i = 0; i < text.len; i++)
		quote |= memchr(",\"\r\n", text.ptr[i], 4) != NULL;
	tc_sink_put(sink, quote ? "\"" : "");
	tc_sink_escaped(sink, text, "\"", doubled);
	tc_sink_put(sink, quote ? "\"" : "");
	tc_sink_put(sink, behind);
}
