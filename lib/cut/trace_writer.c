#include "cut/parts.h"

#include "decode/json/json_text.h"

enum { PIECE_BYTES = 64 * 1024 };

enum tc_status tc_trace_writer_init(struct tc_trace_writer *writer, struct tc_ctx *ctx,
	tc_write_fn write, void *user, bool gzip)
{
	*writer = (struct tc_trace_writer){.ctx = ctx, .write = write, .user = user};
	tc_buf_append_char(&writer->text, '{');
	return gzip ? tc_deflate_new(&writer->gzip, ctx, write, user) : TC_OK;
}

void tc_trace_writer_clear(struct tc_trace_writer *writer)
{
	tc_deflate_free(writer->gzip);
	tc_buf_clear(&writer->text);
	tc_buf_clear(&writer->members);
}

/* Hands on the text when it is a piece, or all of it. */
static enum tc_status flush(struct tc_trace_writer *writer, bool is_last)
{
	struct tc_buf *text = &writer->text;
	int result;

	if (tc_buf_failed(text) || tc_buf_failed(&writer->members))
		return tc_no_memory(writer->ctx);
	if (text->len < PIECE_BYTES && !is_last)
		return TC_OK;
	if (writer->gzip)
		result = tc_deflate_write(writer->gzip, text->ptr, text->len, is_last);
	else
		result = writer->write(writer->user, text->ptr, text->len);
	tc_buf_reset(text);
	return result == 0 ? TC_OK
			   : tc_fail(writer->ctx, TC_ERR_IO, "cannot write all of the trace");
}

enum tc_status tc_trace_writer_member(
	struct tc_trace_writer *writer, struct tc_text name, struct tc_text json)
{
	bool is_before = writer->event_count == 0;
	struct tc_buf *into = is_before ? &writer->text : &writer->members;

	if (!is_before)
		tc_buf_append_string(into, ",\n");
	tc_json_append_string(into, name);
	TC_APPEND(into, TC_TEXT(":"), json);
	if (is_before)
		tc_buf_append_string(into, ",\n");
	return flush(writer, false);
}

static void start_list(struct tc_trace_writer *writer)
{
	tc_buf_append_string(&writer->text, "\"traceEvents\":[\n");
}

enum tc_status tc_trace_writer_event(struct tc_trace_writer *writer, struct tc_text json)
{
	if (writer->event_count++ == 0)
		start_list(writer);
	else
		tc_buf_append_string(&writer->text, ",\n");
	tc_buf_append_text(&writer->text, json);
	return flush(writer, false);
}

enum tc_status tc_trace_writer_finish(struct tc_trace_writer *writer)
{
	if (writer->event_count == 0)
		start_list(writer);
	TC_APPEND(&writer->text, TC_TEXT("\n]"), tc_buf_text(&writer->members), TC_TEXT("}\n"));
	return flush(writer, true);
}
