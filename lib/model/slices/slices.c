/*
 * Finished slices leave here: a row in the batch, and a span for the timeline, by way of the
 * sorter that finds its launch when it may have one.
 */
#include "model/state.h"

#include "core/decimal.h"

enum tc_status tc_model_batch_args(
	struct tc_model *model, struct tc_text args, struct tc_row_args *out)
{
	*out = (struct tc_row_args){.form_id = -1};
	if (args.len == 0)
		return TC_OK;
	out->offset = (uint32_t)model->batch->text.len;
	out->len = (uint32_t)args.len;
	tc_buf_append_text(&model->batch->text, args);
	return tc_buf_failed(&model->batch->text) ? tc_model_no_memory(model) : TC_OK;
}

/* Of a slice: by its form, where it has been seen before. */
static enum tc_status add_args(
	struct tc_model *model, const struct tc_slice *slice, struct tc_row_args *out)
{
	enum tc_args_sight sight = tc_args_forms_see(
		model->args_forms, slice->args, slice->has_id, model->ids->args_form, out);

	if (sight == TC_ARGS_FIRST)
		return tc_model_batch_args(model, slice->args, out);
	if (sight == TC_ARGS_KNOWN)
		return TC_OK;
	struct tc_form_row *form = tc_batch_add_form(model->batch);
	if (!form)
		return tc_model_no_memory(model);
	struct tc_buf *text = &model->batch->text;
	*form = (struct tc_form_row){.id = model->ids->args_form++, .offset = (uint32_t)text->len};
	form->bits = tc_args_forms_append_pattern(text, slice->args, slice->has_id);
	form->len = (uint32_t)text->len - form->offset;
	return tc_buf_failed(text) ? tc_model_no_memory(model) : TC_OK;
}

static enum tc_status add_row(
	struct tc_model *model, const struct tc_slice *slice, int64_t slice_id)
{
	struct tc_row_args args = {0};
	enum tc_status status = add_args(model, slice, &args);

	if (status)
		return status;
	struct tc_slice_row *row = tc_batch_add_slice(model->batch);
	if (!row)
		return tc_model_no_memory(model);
	*row = (struct tc_slice_row){
		.id = slice_id,
		.ts_ns = slice->ts_ns,
		.dur_ns = slice->dur_ns,
		.track_id = (uint32_t)model->first.track + slice->track,
		.label_id = (uint32_t)model->first.label + slice->label,
		.args = args,
	};
	return tc_model_flush(model, false);
}

/* To whoever finds the launch, or straight into the timeline. */
static enum tc_status add_span(struct tc_model *model, const struct tc_slice *slice,
	const struct tc_span *span, int64_t correlation)
{
	const struct tc_label *label = &model->labels.rows[span->label];
	enum tc_status status = TC_OK;

	if (label->role == TC_ROLE_SYNC)
		status = tc_timeline_add_wait(model->timeline, span);
	if (status)
		return status;
	if (correlation != TC_CORRELATION_NONE)
		return tc_launches_add(model, span, correlation, label->engine != TC_ENGINE_NONE);
	if (label->call_class != TC_CALL_NONE)
		status = tc_calls_add(model, span, (enum tc_call_class)label->call_class);
	if (!status && (label->is_step || slice->has_step))
		status = tc_steps_add(model, span, slice->has_step ? &slice->step_number : NULL);
	return status ? status : tc_timeline_add_span(model->timeline, span);
}

/* Ranks in a merged trace number their calls each from 1. */
static int64_t rank_space(const struct tc_tracks *tracks, uint32_t track)
{
	uint32_t rank = tracks->processes[tracks->tracks[track].process].rank;

	return rank == TC_STRTAB_NONE ? 0 : (int64_t)(rank + 1) << 36;
}

enum tc_status tc_model_emit_slice(
	struct tc_model *model, const struct tc_slice *slice, int64_t *slice_id)
{
	const struct tc_span span = {
		.ts_ns = slice->ts_ns,
		.dur_ns = slice->dur_ns,
		.slice_id = model->ids->slice++,
		.track = slice->track,
		.label = slice->label,
		.launch_slice_id = TC_NO_ID,
		.step = -1,
		.data_type = slice->data_type,
		.recipe = slice->recipe,
		.zero_depth = slice->zero_depth,
	};

	int64_t correlation = slice->correlation;
	if (correlation != TC_CORRELATION_NONE)
		correlation ^= rank_space(&model->tracks, slice->track);
	*slice_id = span.slice_id;
	model->tracks.tracks[slice->track].slice_count++;
	model->tracks.tracks[slice->track].has_correlation |=
		slice->correlation != TC_CORRELATION_NONE;
	enum tc_status status = add_row(model, slice, span.slice_id);
	return status ? status : add_span(model, slice, &span, correlation);
}

/* True for integers and texts of integers. */
static bool integer_of(const struct tc_scalar *scalar, int64_t *value)
{
	if (scalar->kind == TC_SCALAR_INT) {
		*value = scalar->i64;
		return true;
	}
	return scalar->kind == TC_SCALAR_TEXT && tc_decimal_int64(value, scalar->text);
}

/* Recipe ids have 16 bits and are used again, so a recipe is its name and id together. */
static enum tc_status read_recipe(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_slice *slice)
{
	const struct tc_scalar *name = &event->arg[TC_ARG_RECIPE_NAME];
	int64_t id = 0;

	integer_of(&event->arg[TC_ARG_RECIPE_ID], &id);
	if (id == 0 && (name->kind != TC_SCALAR_TEXT || name->text.len == 0))
		return TC_OK;
	tc_buf_reset(&model->scratch);
	if (name->kind == TC_SCALAR_TEXT)
		tc_buf_append_text(&model->scratch, name->text);
	tc_buf_append_char(&model->scratch, '#');
	tc_buf_append(&model->scratch, (const char *)&id, sizeof(id));
	if (!tc_buf_failed(&model->scratch))
		slice->recipe = tc_strtab_intern_again(
			&model->timeline->texts, tc_buf_text(&model->scratch), model->last_recipe);
	model->last_recipe = slice->recipe;
	return slice->recipe == TC_STRTAB_NONE ? tc_model_no_memory(model) : TC_OK;
}

/* Shapes repeat: what comes after this much of different ones is not kept apart, but unknown. */
enum { SHAPES_MAX_BYTES = 4 * 1024 * 1024 };

static bool is_told_by_shape(enum tc_framework_kind kind)
{
	return kind == TC_FRAMEWORK_MATMUL || kind == TC_FRAMEWORK_CONVOLUTION ||
	       kind == TC_FRAMEWORK_NORM || kind == TC_FRAMEWORK_COPY;
}

/* The number of the first of two spellings that is a list; TC_STRTAB_NONE without one. */
static uint32_t read_list(
	struct tc_model *model, const struct tc_scalar *list, const struct tc_scalar *old)
{
	struct tc_strtab *texts = &model->timeline->texts;

	if (list->kind != TC_SCALAR_JSON)
		list = old;
	if (list->kind != TC_SCALAR_JSON)
		return TC_STRTAB_NONE;
	if (texts->text_bytes + (int64_t)list->text.len > SHAPES_MAX_BYTES)
		return tc_strtab_find(texts, list->text);
	return tc_strtab_intern(texts, list->text);
}

static void read_shape(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_slice *slice)
{
	const struct tc_scalar *arg = event->arg;

	slice->recipe = read_list(model, &arg[TC_ARG_INPUT_DIMS], &arg[TC_ARG_INPUT_DIMS_OLD]);
	slice->data_type = read_list(model, &arg[TC_ARG_INPUT_TYPE], &arg[TC_ARG_INPUT_TYPE_OLD]);
}

/*
 * What ties a call to its device work, by the names that writers have for it. Ids of CANN have a
 * space of their own: torch_npu's task queue numbers what it does with correlation_id.
 */
static const struct {
	enum tc_arg arg;
	int64_t space;
} correlations[] = {
	{TC_ARG_CORRELATION, 0},
	{TC_ARG_CONNECTION_ID, INT64_C(1) << 61},
	{TC_ARG_CORRELATION_ID, 0},
	{TC_ARG_CORRELATION_PADDLE, 0},
};

static int64_t correlation_of(const struct tc_raw_event *event)
{
	int64_t id;

	for (size_t i = 0; i < sizeof(correlations) / sizeof(correlations[0]); i++)
		if (integer_of(&event->arg[correlations[i].arg], &id))
			return id ^ correlations[i].space;
	return TC_CORRELATION_NONE;
}

enum tc_status tc_model_read_args(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_slice *slice)
{
	const struct tc_scalar *type = &event->arg[TC_ARG_DATA_TYPE];

	slice->args = event->args;
	slice->has_id = event->arg[TC_ARG_EXTERNAL_ID].kind != TC_SCALAR_NONE ||
			event->arg[TC_ARG_EXTERNAL_ID_OLD].kind != TC_SCALAR_NONE ||
			event->arg[TC_ARG_PYTHON_ID].kind != TC_SCALAR_NONE;
	for (size_t i = 0; i < sizeof(correlations) / sizeof(correlations[0]); i++)
		slice->has_id |= event->arg[correlations[i].arg].kind != TC_SCALAR_NONE;
	slice->recipe = slice->data_type = TC_STRTAB_NONE;
	slice->correlation = correlation_of(event);
	slice->has_step = integer_of(&event->arg[TC_ARG_STEP_NUMBER], &slice->step_number);
	if (type->kind == TC_SCALAR_TEXT && type->text.len > 0) {
		slice->data_type = tc_strtab_intern_again(
			&model->timeline->texts, type->text, model->last_data_type);
		model->last_data_type = slice->data_type;
		if (slice->data_type == TC_STRTAB_NONE)
			return tc_model_no_memory(model);
	}
	enum tc_status status = read_recipe(model, event, slice);
	if (!status && slice->data_type == TC_STRTAB_NONE && slice->recipe == TC_STRTAB_NONE &&
		is_told_by_shape(model->labels.rows[slice->label].framework))
		read_shape(model, event, slice);
	return status;
}
