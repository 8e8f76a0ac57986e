/* The model of one trace: its life, and the order in which it is finished. See model.h. */
#include "model/model.h"

#include "core/alloc.h"
#include "model/events.h"
#include "model/flows/nest.h"
#include "model/trace/tables.h"
#include "model/tracks/lanes.h"

struct tc_model {
	struct tc_ctx *ctx;
	struct tc_import_log log;
	struct tc_row_sink sink;
	struct tc_tracks tracks;
	struct tc_labels labels;
	struct tc_metas metas;
	struct tc_timeline *timeline;
	struct tc_slice_args args;
	struct tc_args_forms *forms;
	struct tc_steps steps;
	struct tc_flows flows;
	struct tc_launches *launches;
	struct tc_slices slices;
	struct tc_pairs pairs;
	struct tc_points points;
	struct tc_events events;
};

/* Hands each part what it needs of the others. */
static void connect(struct tc_model *model)
{
	struct tc_ctx *ctx = model->ctx;
	struct tc_import_log *log = &model->log;
	struct tc_row_sink *sink = &model->sink;
	struct tc_tracks *tracks = &model->tracks;
	struct tc_labels *labels = &model->labels;
	struct tc_timeline *timeline = model->timeline;
	struct tc_flows *flows = &model->flows;

	tc_slice_args_init(&model->args, ctx, &timeline->texts);
	model->steps.log = log;
	*flows = (struct tc_flows){.ctx = ctx, .log = log, .tracks = tracks};
	model->launches = tc_launches_new(ctx, log, tracks, timeline, flows);
	model->slices = (struct tc_slices){
		sink, tracks, labels, timeline, &model->steps, model->launches, model->forms};
	model->pairs = (struct tc_pairs){.ctx = ctx,
		.log = log,
		.labels = labels,
		.args_reader = &model->args,
		.slices = &model->slices,
		.flows = flows};
	model->points = (struct tc_points){log, sink, tracks, flows};
	model->events = (struct tc_events){log, &model->metas, tracks, labels, &model->args,
		&model->slices, &model->pairs, flows, &model->points};
}

static enum tc_status start(struct tc_model *model, tc_take_batch_fn take, void *take_user)
{
	model->forms = tc_args_forms_new();
	if (!model->forms)
		return tc_no_memory(model->ctx);
	model->timeline = tc_timeline_new(model->ctx, model->sink.first.trace);
	if (!model->timeline)
		return tc_no_memory(model->ctx);
	connect(model);
	if (!model->launches)
		return tc_ctx_status(model->ctx);
	return tc_row_sink_start(&model->sink, take, take_user);
}

enum tc_status tc_model_new(struct tc_model **out, struct tc_ctx *ctx, struct tc_next_ids *ids,
	tc_take_batch_fn take, void *take_user)
{
	struct tc_model *model = tc_calloc(1, sizeof(*model));

	if (!model)
		return tc_no_memory(ctx);
	model->ctx = model->metas.ctx = ctx;
	model->sink = (struct tc_row_sink){.ctx = ctx, .next = ids, .first = *ids};
	tc_import_log_init(&model->log, ctx);
	tc_labels_init(&model->labels);
	tc_tracks_init(&model->tracks);
	enum tc_status status = start(model, take, take_user);
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
	tc_pairs_clear(&model->pairs);
	tc_args_forms_free(model->forms);
	tc_launches_free(model->launches);
	tc_flows_clear(&model->flows);
	tc_steps_clear(&model->steps);
	tc_slice_args_clear(&model->args);
	tc_timeline_free(model->timeline);
	tc_metas_clear(&model->metas);
	tc_labels_clear(&model->labels);
	tc_tracks_clear(&model->tracks);
	tc_row_sink_clear(&model->sink);
	tc_import_log_clear(&model->log);
	tc_free(model);
}

enum tc_status tc_model_add_label(
	struct tc_model *model, struct tc_text category, struct tc_text name)
{
	return tc_labels_intern(&model->labels, category, name) == TC_LABEL_NONE
		       ? tc_no_memory(model->ctx)
		       : TC_OK;
}

struct tc_decode_sink tc_model_sink(struct tc_model *model)
{
	return tc_events_sink(&model->events);
}

enum tc_status tc_model_end_events(struct tc_model *model)
{
	enum tc_status status = tc_pairs_finish(&model->pairs);

	if (!status)
		status = tc_import_log_add_count(&model->log, TC_LOG_STRING_LIMIT,
			model->labels.over_count, TC_TEXT("distinct pairs of category and name"));
	return status ? status : tc_row_sink_flush(&model->sink, true);
}

static enum tc_status log_ranks(struct tc_model *model)
{
	size_t count = model->tracks.rank_count;

	return tc_import_log_add_count(&model->log, TC_LOG_MERGED_RANKS,
		count < 2 ? 0 : (int64_t)count, TC_TEXT("ranks in one file"));
}

static enum tc_status fill_timeline(struct tc_model *model)
{
	const struct tc_next_ids *first = &model->sink.first;
	const struct tc_tracks *tracks = &model->tracks;
	struct tc_timeline *timeline = model->timeline;

	timeline->track_base = first->track;
	timeline->label_base = first->label;
	timeline->slice_base = first->slice;
	timeline->memory_base = first->memory;
	timeline->recorded_one_of = tc_numbering_one_of(&model->args.numbering);
	enum tc_status status = tc_stacks_hand_over(&model->args.stacks, &model->labels, timeline);

	tc_labels_hand_over(&model->labels, timeline);
	for (size_t i = 0; i < tracks->track_count; i++) {
		const struct tc_track_row *row = &tracks->tracks[i];
		bool has_thread = row->thread != TC_INDEX_NONE;
		const struct tc_thread_row *thread =
			has_thread ? &tracks->threads[row->thread] : NULL;
		const struct tc_track track = {
			.kind = row->kind,
			.thread = has_thread ? first->thread + row->thread : -1,
			.host_thread = row->kind == TC_TRACK_THREAD ? thread->host_number : -1,
			.host_thread_id = row->kind == TC_TRACK_THREAD
						  ? first->thread + thread->host_thread
						  : -1,
			.device = row->device_index,
			.engine = row->engine,
			.name = tc_tracks_text(tracks, has_thread ? thread->name : row->name),
			.slice_count = row->slice_count,
		};
		if (tc_timeline_add_track(timeline, &track) < 0)
			return tc_ctx_status(model->ctx);
	}
	return status;
}

static void advance_ids(struct tc_model *model)
{
	struct tc_next_ids *next = model->sink.next;

	next->trace++;
	next->process += (int64_t)model->tracks.process_count;
	next->thread += (int64_t)model->tracks.thread_count;
	next->track += (int64_t)model->tracks.track_count;
	next->label += (int64_t)model->timeline->label_count;
}

enum tc_status tc_model_resolve(const struct tc_timeline **out, struct tc_model *model)
{
	enum tc_status status = tc_tracks_resolve(&model->tracks, model->timeline);

	if (!status)
		status = log_ranks(model);
	if (!status)
		status = fill_timeline(model);
	if (!status)
		status = tc_steps_finish(
			&model->steps, model->timeline, &model->tracks, &model->sink.next->step);
	if (!status) {
		tc_launches_join(model->launches);
		tc_timeline_sort(model->timeline);
		tc_launches_resolve(model->launches);
		status = tc_ctx_status(model->ctx);
	}
	if (status)
		return status;
	advance_ids(model);
	*out = model->timeline;
	return TC_OK;
}

enum tc_status tc_model_write_tables(
	const struct tc_model *model, sqlite3 *db, const struct tc_input_facts *facts)
{
	const struct tc_trace trace = {model->ctx, db, &model->sink.first, facts, &model->metas,
		&model->tracks, model->timeline};

	return tc_tables_write(&trace);
}

enum tc_status tc_model_emit_ties(struct tc_model *model, tc_take_batch_fn take, void *take_user)
{
	struct tc_row_sink *sink = &model->sink;
	enum tc_status status = tc_row_sink_start(sink, take, take_user);

	if (!status)
		status = tc_nest_emit(&model->flows, model->timeline, sink);
	if (!status)
		status = tc_flows_emit(&model->flows, sink);
	if (!status)
		tc_launches_emit(model->launches, sink);
	status = tc_ctx_status(model->ctx);
	return status ? status : tc_row_sink_flush(sink, true);
}

enum tc_status tc_model_write_log(const struct tc_model *model, sqlite3 *db)
{
	return tc_import_log_write(&model->log, db, model->sink.first.trace);
}

struct tc_text tc_model_loss(const struct tc_model *model)
{
	return tc_import_log_loss(&model->log);
}
