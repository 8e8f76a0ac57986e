/* The batch at hand; see row_sink.h. */
#include "model/row_sink.h"

#include "core/context.h"

static enum tc_status change_batch(struct tc_row_sink *sink)
{
	enum tc_status status = sink->take(sink->take_user, &sink->batch);

	if (!status)
		sink->batch->trace_id = sink->first.trace;
	else if (!tc_ctx_failed(sink->ctx))
		tc_fail(sink->ctx, status, "interrupted");
	return status;
}

enum tc_status tc_row_sink_start(struct tc_row_sink *sink, tc_take_batch_fn take, void *take_user)
{
	sink->take = take;
	sink->take_user = take_user;
	return sink->batch ? TC_OK : change_batch(sink);
}

void tc_row_sink_clear(struct tc_row_sink *sink)
{
	tc_batch_free(sink->batch);
}

enum tc_status tc_row_sink_flush(struct tc_row_sink *sink, bool all)
{
	return all || tc_batch_full(sink->batch) ? change_batch(sink) : TC_OK;
}

enum tc_status tc_row_sink_no_memory(const struct tc_row_sink *sink)
{
	return tc_no_memory(sink->ctx);
}

enum tc_status tc_row_sink_args(
	struct tc_row_args *out, struct tc_row_sink *sink, struct tc_text args)
{
	struct tc_buf *text = &sink->batch->text;

	*out = (struct tc_row_args){.form_id = -1};
	if (args.len == 0)
		return TC_OK;
	out->offset = (uint32_t)text->len;
	out->len = (uint32_t)args.len;
	tc_buf_append_text(text, args);
	return tc_buf_failed(text) ? tc_row_sink_no_memory(sink) : TC_OK;
}
