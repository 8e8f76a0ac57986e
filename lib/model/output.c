/* The batch at hand; see output.h. */
#include "model/output.h"

#include "core/context.h"

static enum tc_status change_batch(struct tc_output *output)
{
	enum tc_status status = output->emit(output->emit_user, &output->batch);

	if (!status)
		output->batch->trace_id = output->first.trace;
	return status;
}

enum tc_status tc_output_start(struct tc_output *output, tc_emit_fn emit, void *emit_user)
{
	output->emit = emit;
	output->emit_user = emit_user;
	return output->batch ? TC_OK : change_batch(output);
}

void tc_output_clear(struct tc_output *output)
{
	tc_batch_free(output->batch);
}

enum tc_status tc_output_flush(struct tc_output *output, bool all)
{
	return all || tc_batch_full(output->batch) ? change_batch(output) : TC_OK;
}

enum tc_status tc_output_no_memory(const struct tc_output *output)
{
	return tc_fail(output->ctx, TC_ERR_NOMEM, "no memory for rows of the store");
}

enum tc_status tc_output_args(
	struct tc_row_args *out, struct tc_output *output, struct tc_text args)
{
	struct tc_buf *text = &output->batch->text;

	*out = (struct tc_row_args){.form_id = -1};
	if (args.len == 0)
		return TC_OK;
	out->offset = (uint32_t)text->len;
	out->len = (uint32_t)args.len;
	tc_buf_append_text(text, args);
	return tc_buf_failed(text) ? tc_output_no_memory(output) : TC_OK;
}
