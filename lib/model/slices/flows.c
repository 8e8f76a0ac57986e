/*
 * Flows: arrows between slices. Points of version 1 (s, t, f) are bound to slices by nest.c, those
 * of version 2 (bind_id on a slice) are slices already. When all are bound, each flow's points in
 * time order make its arrows: from the latest start or step to each step and end. Allocator events
 * bind to the slices around them the same way.
 */
#include "model/state.h"

enum { SORT_BYTES = 2 * 1024 * 1024 };

static int compare_by_track(const void *a, const void *b)
{
	const struct tc_flow_point *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	/* A slice that starts at this time ends the wait of these before it encloses the others. */
	if (x->binds_next != y->binds_next)
		return x->binds_next ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* The flow a point belongs to: category, name and id; for version 2 the id alone. */
static int compare_flow(const struct tc_flow_point *x, const struct tc_flow_point *y)
{
	if (x->is_v2 != y->is_v2)
		return x->is_v2 ? 1 : -1;
	if (!x->is_v2 && x->label != y->label)
		return x->label < y->label ? -1 : 1;
	if (x->id.is_text != y->id.is_text)
		return x->id.is_text ? 1 : -1;
	return x->id.number < y->id.number ? -1 : x->id.number > y->id.number;
}

static int compare_by_flow(const void *a, const void *b)
{
	const struct tc_flow_point *x = a, *y = b;
	int flow = compare_flow(x, y);

	if (flow)
		return flow;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static enum tc_status add_point(struct tc_model *model, struct tc_sorter **sorter, size_t bytes,
	tc_compare_fn compare, const void *point)
{
	enum tc_status status = TC_OK;

	if (!*sorter)
		status = tc_sorter_new(sorter, model->ctx, bytes, SORT_BYTES, compare);
	return status ? status : tc_sorter_add(*sorter, point);
}

static bool has_id(const struct tc_scalar *id)
{
	return id->kind == TC_SCALAR_INT || id->kind == TC_SCALAR_NUMBER ||
	       (id->kind == TC_SCALAR_TEXT && id->text.len > 0);
}

enum tc_status tc_flows_add(
	struct tc_model *model, const struct tc_raw_event *event, uint32_t track, uint32_t label)
{
	struct tc_flow_point point = {
		.ts_ns = event->ts_ns,
		.sequence = model->sequence++,
		.track = track,
		.label = label,
		.role = event->ph == 's'   ? TC_FLOW_START
			: event->ph == 't' ? TC_FLOW_STEP
					   : TC_FLOW_END,
		.binds_next = event->ph == 'f' && !tc_text_equal(event->bp, TC_TEXT("e")),
	};

	if (!has_id(&event->id))
		return tc_model_log(model, TC_LOG_BAD_ID, event->byte_offset, event->name);
	if (!tc_tracks_ident(&model->tracks, &event->id, &point.id))
		return tc_model_no_memory(model);
	return add_point(model, &model->flow_points, sizeof(point), compare_by_track, &point);
}

enum tc_status tc_flows_end_of(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_flow_end *end)
{
	*end = (struct tc_flow_end){.role = !event->flow_in   ? TC_FLOW_START
					    : event->flow_out ? TC_FLOW_STEP
							      : TC_FLOW_END};
	if (event->bind_id.kind == TC_SCALAR_NONE)
		return TC_OK;
	if (!has_id(&event->bind_id))
		return tc_model_log(model, TC_LOG_BAD_ID, event->byte_offset, event->name);
	if (!event->flow_in && !event->flow_out)
		return tc_model_log(
			model, TC_LOG_FLOW_WITHOUT_DIRECTION, event->byte_offset, event->name);
	end->is_there = true;
	return tc_tracks_ident(&model->tracks, &event->bind_id, &end->id)
		       ? TC_OK
		       : tc_model_no_memory(model);
}

enum tc_status tc_flows_add_v2(struct tc_model *model, const struct tc_flow_end *end,
	const struct tc_slice *slice, int64_t slice_id)
{
	const struct tc_flow_point point = {
		.ts_ns = slice->ts_ns,
		.sequence = model->sequence++,
		.label = slice->label,
		.id = end->id,
		.is_v2 = true,
		.slice_id = slice_id,
		.role = end->role,
	};

	return end->is_there ? tc_flows_bound(model, &point) : TC_OK;
}

enum tc_status tc_flows_add_memory(
	struct tc_model *model, int64_t ts_ns, uint32_t track, int64_t memory_id)
{
	const struct tc_flow_point point = {
		.ts_ns = ts_ns,
		.sequence = model->sequence++,
		.track = track,
		.id = {.number = memory_id},
		.role = TC_FLOW_MEMORY,
	};

	return add_point(model, &model->flow_points, sizeof(point), compare_by_track, &point);
}

static int compare_memory_links(const void *a, const void *b)
{
	const struct tc_memory_link_row *x = a, *y = b;

	return x->memory_id < y->memory_id ? -1 : x->memory_id > y->memory_id;
}

enum tc_status tc_flows_bound(struct tc_model *model, const struct tc_flow_point *point)
{
	const struct tc_memory_link_row link = {point->id.number, point->slice_id};

	if (point->role == TC_FLOW_MEMORY)
		return add_point(
			model, &model->memory_links, sizeof(link), compare_memory_links, &link);
	return add_point(model, &model->flow_ends, sizeof(*point), compare_by_flow, point);
}

static enum tc_status emit_memory_links(struct tc_model *model)
{
	const void *record = NULL;
	enum tc_status status = TC_OK;

	if (model->memory_links)
		status = tc_sorter_rewind(model->memory_links);
	while (!status && model->memory_links &&
		!(status = tc_sorter_next(model->memory_links, &record)) && record) {
		struct tc_memory_link_row *row = tc_batch_add_memory_link(model->batch);
		if (!row)
			return tc_model_no_memory(model);
		*row = *(const struct tc_memory_link_row *)record;
		status = tc_model_flush(model, false);
	}
	return status;
}

/* The flow whose points are read. */
struct flow {
	tc_flow_arrow_fn fn;
	void *user;
	struct tc_flow_point last;
	struct tc_flow_point from; /* the latest start or step */
	bool has_from;
	bool has_arrow;          /* one has left from it */
	int64_t unmatched_count; /* of all flows so far: starts without an end, ends without a start */
};

/* What was begun last leads nowhere when no arrow has left from it. */
static void leave_start(struct flow *flow)
{
	if (flow->has_from && !flow->has_arrow)
		flow->unmatched_count++;
	flow->has_from = false;
}

static enum tc_status on_point(struct flow *flow, const struct tc_flow_point *point)
{
	enum tc_status status = TC_OK;

	if (compare_flow(&flow->last, point) != 0)
		leave_start(flow);
	flow->last = *point;
	if (point->role != TC_FLOW_START && flow->has_from) {
		status = flow->fn(flow->user, &flow->from, point);
		flow->has_arrow = true;
	} else if (point->role == TC_FLOW_END) {
		flow->unmatched_count++;
	}
	if (point->role != TC_FLOW_END) {
		leave_start(flow);
		flow->from = *point;
		flow->has_from = true;
		/* A step that was reached is no loose start. */
		flow->has_arrow = point->role == TC_FLOW_STEP;
	}
	return status;
}

enum tc_status tc_flows_each(
	struct tc_model *model, tc_flow_arrow_fn fn, void *user, int64_t *unmatched_count)
{
	struct flow flow = {.fn = fn, .user = user};
	const void *record = NULL;
	enum tc_status status = TC_OK;

	if (model->flow_ends)
		status = tc_sorter_rewind(model->flow_ends);
	while (!status && model->flow_ends &&
		!(status = tc_sorter_next(model->flow_ends, &record)) && record)
		status = on_point(&flow, record);
	leave_start(&flow);
	*unmatched_count = flow.unmatched_count;
	return status;
}

static enum tc_status put_arrow(
	void *user, const struct tc_flow_point *from, const struct tc_flow_point *to)
{
	struct tc_model *model = user;
	struct tc_flow_row *row = tc_batch_add_flow(model->batch);

	if (!row)
		return tc_model_no_memory(model);
	row->id = model->ids->flow++;
	row->label_id = (uint32_t)model->first.label + to->label;
	row->slice_out = from->slice_id;
	row->slice_in = to->slice_id;
	return tc_model_flush(model, false);
}

/* One row for all: traces that begin in the middle have many. */
static enum tc_status log_unmatched(struct tc_model *model, int64_t count)
{
	const struct tc_log_entry entry = {TC_LOG_UNMATCHED_FLOW, -1, count,
		TC_TEXT("flow ends without a start, or starts without an end")};

	if (count == 0)
		return TC_OK;
	return tc_import_log_add(&model->log, &entry) ? TC_OK : tc_model_no_memory(model);
}

enum tc_status tc_flows_emit(struct tc_model *model)
{
	int64_t unmatched_count = 0;
	enum tc_status status = tc_flows_each(model, put_arrow, model, &unmatched_count);

	if (!status)
		status = emit_memory_links(model);
	return status ? status : log_unmatched(model, unmatched_count + model->unbound_count);
}
