/*
 * From rows to the timeline: each slice of a batch goes to whoever finds its launch, or straight
 * in. This runs on the thread that writes while another feeds the model, so it reads nothing but
 * the batch, and nothing that it fills is touched there before the events have ended.
 */
#include "model/state.h"

static enum tc_status route_slice(struct tc_model *model, const struct tc_slice_row *row)
{
	const struct tc_span span = {
		.ts_ns = row->ts_ns,
		.dur_ns = row->dur_ns,
		.slice_id = row->id,
		.track = row->track_id - (uint32_t)model->first.track,
		.label = row->label_id - (uint32_t)model->first.label,
		.launch_slice_id = TC_NO_ID,
		.step = -1,
		.data_type = row->data_type,
		.recipe = row->recipe,
	};
	enum tc_status status = row->is_wait ? tc_timeline_add_wait(model->timeline, &span) : TC_OK;

	if (status)
		return status;
	if (row->correlation != TC_CORRELATION_NONE)
		return tc_launches_add(model, &span, row->correlation, row->is_device);
	if (row->call_class != TC_CALL_NONE)
		status = tc_recipes_add(model, &span, (enum tc_call_class)row->call_class);
	if (!status && row->is_step)
		status = tc_steps_add(model, &span);
	return status ? status : tc_timeline_add_span(model->timeline, &span);
}

enum tc_status tc_model_route(struct tc_model *model, const struct tc_batch *batch)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < batch->slice_count && !status; i++)
		status = route_slice(model, &batch->slices[i]);
	return status;
}
