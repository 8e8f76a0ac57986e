/* Finished slices to rows and to the timeline; see slices.h. */
#include "model/slices/slices.h"

/* By its form, if args of this form were seen before. */
static enum tc_status add_args(
	struct tc_row_args *out, struct tc_slices *slices, const struct tc_slice *slice)
{
	struct tc_row_sink *sink = slices->sink;
	enum tc_args_sight sight = tc_args_forms_see(slices->forms, slice->args, slice->has_id,
		slice->label, sink->next->args_form, out);

	if (sight == TC_ARGS_FIRST)
		return tc_row_sink_args(out, sink, slice->args);
	if (sight == TC_ARGS_KNOWN)
		return TC_OK;
	struct tc_form_row *form = tc_batch_add_form(sink->batch);
	if (!form)
		return tc_row_sink_no_memory(sink);
	struct tc_buf *text = &sink->batch->text;
	*form = (struct tc_form_row){.id = sink->next->args_form++, .offset = (uint32_t)text->len};
	form->bits = tc_args_forms_append_pattern(text, slice->args, slice->has_id);
	form->len = (uint32_t)text->len - form->offset;
	return tc_buf_failed(text) ? tc_row_sink_no_memory(sink) : TC_OK;
}

static enum tc_status add_row(
	struct tc_slices *slices, const struct tc_slice *slice, int64_t slice_id)
{
	struct tc_row_sink *sink = slices->sink;
	struct tc_row_args args = {0};
	enum tc_status status = add_args(&args, slices, slice);

	if (status)
		return status;
	struct tc_slice_row *row = tc_batch_add_slice(sink->batch);
	if (!row)
		return tc_row_sink_no_memory(sink);
	*row = (struct tc_slice_row){
		.id = slice_id,
		.ts_ns = slice->ts_ns,
		.dur_ns = slice->dur_ns,
		.track_id = (uint32_t)sink->first.track + slice->track,
		.label_id = (uint32_t)sink->first.label + slice->label,
		.args = args,
	};
	return tc_row_sink_flush(sink, false);
}

/* Slices with a correlation id reach the timeline when their launches are joined. */
static enum tc_status add_span(struct tc_slices *slices, const struct tc_slice *slice,
	const struct tc_span *span, int64_t correlation)
{
	const struct tc_label *label = &slices->labels->rows[span->label];
	enum tc_status status = TC_OK;

	if (label->role == TC_ROLE_SYNC)
		tc_timeline_add_wait(slices->timeline, span);
	if (correlation != TC_CORRELATION_NONE) {
		tc_launches_add(slices->launches, span, correlation, label);
		return tc_ctx_status(slices->timeline->ctx);
	}
	if (label->call_class != TC_CALL_NONE)
		tc_launches_add_call(slices->launches, span, (enum tc_call_class)label->call_class);
	if (!status && (label->is_step || label->is_iteration || slice->has_step))
		status = tc_steps_add(
			slices->steps, span, label, slice->has_step ? &slice->step_number : NULL);
	if (!status)
		tc_spans_add(slices->timeline->spans, span);
	return tc_ctx_status(slices->timeline->ctx);
}

/* Ranks in a merged trace count their calls each from 1. */
static int64_t rank_space(const struct tc_tracks *tracks, uint32_t track)
{
	uint32_t rank = tracks->processes[tracks->tracks[track].process].rank;

	return rank == TC_STRTAB_NONE ? 0 : (int64_t)(rank + 1) << TC_CORRELATION_BITS;
}

enum tc_status tc_slices_add(
	int64_t *slice_id, struct tc_slices *slices, const struct tc_slice *slice)
{
	struct tc_track_row *track = &slices->tracks->tracks[slice->track];
	const struct tc_span span = {
		.ts_ns = slice->ts_ns,
		.dur_ns = slice->dur_ns,
		.slice_id = slices->sink->next->slice++,
		.track = slice->track,
		.label = slice->label,
		.launch_slice_id = TC_NO_ID,
		.step = -1,
		.sequence = slice->sequence,
		.shape = slice->shape,
		.forward_thread = slice->forward_thread,
		.stack = slice->stack,
		.sizes = slice->sizes,
		.types = slice->types,
		.data_type = slice->data_type,
		.recipe = slice->recipe,
		.zero_depth = slice->zero_depth,
	};
	int64_t correlation = slice->correlation;

	if (correlation != TC_CORRELATION_NONE)
		correlation ^= rank_space(slices->tracks, slice->track);
	*slice_id = span.slice_id;
	track->slice_count++;
	track->has_correlation |= slice->correlation != TC_CORRELATION_NONE;
	enum tc_status status = add_row(slices, slice, span.slice_id);
	return status ? status : add_span(slices, slice, &span, correlation);
}
