/* Buffered output of a report. See sink.h. */
#include "report/sink.h"

/* Large enough that a pipe sees few writes, small enough to be nothing. */
#define SINK_FLUSH_BYTES (32 * 1024)

void tc_sink_init(struct tc_sink *sink, tc_write_fn write, void *user)
{
	*sink = (struct tc_sink){.write = write, .user = user};
}

static void flush(struct tc_sink *sink)
{
	if (tc_buf_failed(&sink->buf) || sink->stopped || sink->buf.len == 0)
		return;
	if (sink->write(sink->user, sink->buf.ptr, sink->buf.len))
		sink->stopped = true;
	sink->buf.len = 0;
}

static void settle(struct tc_sink *sink)
{
	if (sink->stopped)
		sink->buf.len = 0;
	else if (sink->buf.len >= SINK_FLUSH_BYTES)
		flush(sink);
}

enum tc_status tc_sink_close(struct tc_sink *sink, struct tc_ctx *ctx)
{
	bool out_of_memory = tc_buf_failed(&sink->buf);

	flush(sink);
	tc_buf_clear(&sink->buf);
	if (out_of_memory)
		return tc_fail(ctx, TC_ERR_NOMEM, "out of memory while writing the report");
	if (sink->stopped)
		return tc_fail(ctx, TC_ERR_IO, "cannot write the report: its reader stopped");
	return TC_OK;
}

void tc_sink_put(struct tc_sink *sink, const char *string)
{
	tc_buf_append_string(&sink->buf, string);
	settle(sink);
}

void tc_sink_text(struct tc_sink *sink, struct tc_text text)
{
	tc_buf_append_text(&sink->buf, text);
	settle(sink);
}

void tc_sink_fill(struct tc_sink *sink, const char *string, int count)
{
	for (int i = 0; i < count; i++)
		tc_buf_append_string(&sink->buf, string);
	settle(sink);
}

void tc_sink_format(struct tc_sink *sink, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tc_buf_vformat(&sink->buf, format, args);
	va_end(args);
	settle(sink);
}

bool tc_sink_dead(const struct tc_sink *sink)
{
	return sink->stopped || tc_buf_failed(&sink->buf);
}
