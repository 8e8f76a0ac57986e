/* What all stages of the model need: its log, its failures, its batch. */
#include "model/state.h"

#include "core/limits.h"

enum tc_status tc_model_no_memory(struct tc_model *model)
{
	const struct tc_strtab *tables[] = {&model->tracks.strings, &model->timeline->texts};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i]->count >= TC_STRING_MAX_COUNT ||
			tables[i]->text_bytes >= TC_STRING_MAX_BYTES - TC_EVENT_MAX_BYTES)
			return tc_fail(model->ctx, TC_ERR_LIMIT,
				"more names, ids and metadata than %d, or than %lld bytes of them",
				TC_STRING_MAX_COUNT, TC_STRING_MAX_BYTES);
	return tc_fail(model->ctx, TC_ERR_NOMEM, "no memory for the trace's names and rows");
}

enum tc_status tc_model_log(
	struct tc_model *model, enum tc_log_kind kind, int64_t byte_offset, struct tc_text message)
{
	const struct tc_log_entry entry = {kind, byte_offset, 1, message};

	return tc_import_log_add(&model->log, &entry) ? TC_OK : tc_model_no_memory(model);
}

enum tc_status tc_model_flush(struct tc_model *model, bool all)
{
	if (!all && !tc_batch_full(model->batch))
		return TC_OK;
	enum tc_status status = model->emit(model->emit_user, &model->batch);
	if (!status)
		model->batch->trace_id = model->first.trace;
	return status;
}
