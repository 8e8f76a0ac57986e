/* See markdown.h. */
#include "report/markdown/markdown.h"

#include "report/format.h"

void tc_put_markdown(struct tc_job *job, struct tc_text text)
{
	struct tc_buf clean = TC_BUF_EMPTY;

	tc_format_clean(&clean, text, job->options.ascii, 0);
	job->sink.buf.failed |= tc_buf_failed(&clean);
	for (size_t i = 0; i < clean.len; i++) {
		if (memchr("\\`*_[]<>#|", clean.ptr[i], 10))
			tc_sink_put(&job->sink, "\\");
		tc_sink_text(&job->sink, (struct tc_text){clean.ptr + i, 1});
	}
	tc_buf_clear(&clean);
}
