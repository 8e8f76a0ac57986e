/* The model of one trace: its life, and the order in which it is finished. See model.h. */
#include "model/model.h"

#include "core/alloc.h"
#include "model/state.h"

/* Takes the first batch, or hands the last one over. */
static enum tc_status start(struct tc_model *model)
{
	model->args_forms = tc_args_forms_new();
	if (!model->args_forms)
		return tc_fail(model->ctx, TC_ERR_NOMEM, "no memory for a trace");
	enum tc_status status = tc_timeline_new(&model->timeline, model->ctx, model->ids->trace);
	if (!status)
		status = model->emit(model->emit_user, &model->batch);
	if (!status)
		model->batch->trace_id = model->first.trace;
	return status;
}

enum tc_status tc_model_new(struct tc_model **out, struct tc_ctx *ctx, struct tc_next_ids *ids,
	tc_emit_fn emit, void *emit_user)
{
	struct tc_model *model = tc_calloc(1, sizeof(*model));

	if (!model)
		return tc_fail(ctx, TC_ERR_NOMEM, "no memory for a trace");
	model->ctx = ctx;
	model->ids = ids;
	model->first = *ids;
	model->emit = emit;
	model->emit_user = emit_user;
	model->last_recipe = model->last_data_type = TC_STRTAB_NONE;
	tc_labels_init(&model->labels);
	tc_tracks_init(&model->tracks);
	enum tc_status status = start(model);
	if (status)
		tc_model_free(model);
	else
		*out = model;
	return status;
}

void tc_model_free(struct tc_model *model)
{
	if (!model)
		return;
	tc_batch_free(model->batch);
	tc_args_forms_free(model->args_forms);
	tc_labels_clear(&model->labels);
	tc_tracks_clear(&model->tracks);
	tc_import_log_clear(&model->log);
	tc_timeline_free(model->timeline);
	tc_free(model->metas);
	tc_buf_clear(&model->scratch);
	tc_sorter_free(model->pairs);
	tc_spill_free(model->pair_args);
	tc_launches_clear(model);
	tc_sorter_free(model->recipe_calls);
	tc_links_clear(&model->links);
	tc_sorter_free(model->flow_points);
	tc_sorter_free(model->flow_ends);
	tc_sorter_free(model->memory_links);
	tc_steps_clear(model);
	tc_free(model);
}

static enum tc_status on_meta(void *user, struct tc_text key, struct tc_text json)
{
	struct tc_model *model = user;
	void *metas = model->metas;

	if (tc_reserve(&metas, &model->meta_capacity, model->meta_count + 1, sizeof(*model->metas)))
		return tc_model_no_memory(model);
	model->metas = metas;
	struct tc_meta_row row = {
		tc_tracks_string(&model->tracks, key), tc_tracks_string(&model->tracks, json)};
	if (row.key == TC_STRTAB_NONE || row.value == TC_STRTAB_NONE)
		return tc_model_no_memory(model);
	model->metas[model->meta_count++] = row;
	return TC_OK;
}

static enum tc_status on_log(void *user, const struct tc_log_entry *entry)
{
	struct tc_model *model = user;

	return tc_import_log_add(&model->log, entry) ? TC_OK : tc_model_no_memory(model);
}

struct tc_decode_sink tc_model_sink(struct tc_model *model)
{
	return (struct tc_decode_sink){model, tc_model_event, on_meta, on_log};
}

/* Labels beyond the limit are counted where they are looked up, and told once. */
static enum tc_status log_label_limit(struct tc_model *model)
{
	const struct tc_log_entry entry = {TC_LOG_STRING_LIMIT, -1, model->labels.over_count,
		TC_TEXT("distinct pairs of category and name")};

	if (model->labels.over_count == 0)
		return TC_OK;
	return tc_import_log_add(&model->log, &entry) ? TC_OK : tc_model_no_memory(model);
}

enum tc_status tc_model_end_events(struct tc_model *model)
{
	enum tc_status status = tc_pairs_finish(model);

	if (!status)
		status = log_label_limit(model);
	return status ? status : tc_model_flush(model, true);
}

static enum tc_status log_ranks(struct tc_model *model)
{
	const struct tc_log_entry entry = {TC_LOG_MERGED_RANKS, -1,
		(int64_t)model->tracks.rank_count, TC_TEXT("ranks in one file")};

	if (model->tracks.rank_count < 2)
		return TC_OK;
	return tc_import_log_add(&model->log, &entry) ? TC_OK : tc_model_no_memory(model);
}

static enum tc_status fill_timeline(struct tc_model *model)
{
	struct tc_timeline *timeline = model->timeline;

	timeline->label_base = model->first.label;
	timeline->track_base = model->first.track;
	tc_labels_hand_over(&model->labels, timeline);
	for (size_t i = 0; i < model->tracks.track_count; i++) {
		const struct tc_track_row *row = &model->tracks.tracks[i];
		bool has_thread = row->thread != TC_INDEX_NONE;
		const struct tc_thread_row *thread =
			has_thread ? &model->tracks.threads[row->thread] : NULL;
		const struct tc_track track = {
			.kind = row->kind,
			.process = model->first.process + row->process,
			.thread = has_thread ? model->first.thread + row->thread : -1,
			.host_thread = row->kind == TC_TRACK_THREAD ? thread->host_number : -1,
			.device = row->device_index,
			.engine = row->engine,
			.name = tc_tracks_text(
				&model->tracks, has_thread ? thread->name : row->name),
			.slice_count = row->slice_count,
		};
		if (tc_timeline_add_track(timeline, &track) < 0)
			return tc_model_no_memory(model);
	}
	return TC_OK;
}

static void advance_ids(struct tc_model *model)
{
	model->ids->trace++;
	model->ids->process += (int64_t)model->tracks.process_count;
	model->ids->thread += (int64_t)model->tracks.thread_count;
	model->ids->track += (int64_t)model->tracks.track_count;
	model->ids->label += (int64_t)model->timeline->label_count;
}

enum tc_status tc_model_resolve(const struct tc_timeline **out, struct tc_model *model, sqlite3 *db,
	const struct tc_input_facts *facts)
{
	enum tc_status status = tc_tracks_resolve(&model->tracks, model->timeline);

	if (!status)
		status = log_ranks(model);
	if (!status)
		status = fill_timeline(model);
	if (!status)
		status = tc_steps_finish(model);
	if (!status)
		status = tc_launches_finish(model);
	if (!status)
		status = tc_timeline_sort(model->timeline);
	if (!status)
		status = tc_launches_resolve(model);
	if (!status)
		status = tc_tables_write(model, db, facts);
	if (status)
		return status;
	advance_ids(model);
	*out = model->timeline;
	return TC_OK;
}

enum tc_status tc_model_emit_ties(struct tc_model *model, tc_emit_fn emit, void *emit_user)
{
	model->emit = emit;
	model->emit_user = emit_user;
	enum tc_status status = tc_nest_emit(model);
	if (!status)
		status = tc_flows_emit(model);
	if (!status)
		status = tc_links_emit(model);
	return status ? status : tc_model_flush(model, true);
}

enum tc_status tc_model_write_log(const struct tc_model *model, sqlite3 *db)
{
	return tc_import_log_write(&model->log, model->ctx, db, model->first.trace);
}

bool tc_model_lost_data(const struct tc_model *model)
{
	return tc_import_log_lost(&model->log);
}
