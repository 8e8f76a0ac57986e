/*
 * Flows: arrows between slices. Points of version 1 (s, t, f) are bound to slices by nest.c, those
 * of version 2 (bind_id on a slice) are slices already. When all are bound, each flow's points in
 * time order make its arrows: from the latest start or step to each step and end.
 */
#include "model/state.h"
#include "store/sql.h"

enum { SORT_BYTES = 8 * 1024 * 1024 };

static int compare_by_track(const void *a, const void *b)
{
	const struct tc_flow_point *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
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

static enum tc_status add_point(struct tc_model *model, struct tc_sorter **sorter,
	tc_compare_fn compare, const struct tc_flow_point *point)
{
	enum tc_status status = TC_OK;

	if (!*sorter)
		status = tc_sorter_new(sorter, model->ctx, sizeof(*point), SORT_BYTES, compare);
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
	return add_point(model, &model->flow_points, compare_by_track, &point);
}

enum tc_status tc_flows_add_v2(
	struct tc_model *model, const struct tc_raw_event *event, uint32_t label, int64_t slice_id)
{
	struct tc_flow_point point = {
		.ts_ns = event->ts_ns,
		.sequence = model->sequence++,
		.label = label,
		.is_v2 = true,
		.slice_id = slice_id,
		.role = !event->flow_in   ? TC_FLOW_START
			: event->flow_out ? TC_FLOW_STEP
					  : TC_FLOW_END,
	};

	if (!has_id(&event->bind_id) || (!event->flow_in && !event->flow_out))
		return TC_OK;
	if (!tc_tracks_ident(&model->tracks, &event->bind_id, &point.id))
		return tc_model_no_memory(model);
	return tc_flows_bound(model, &point);
}

enum tc_status tc_flows_bound(struct tc_model *model, const struct tc_flow_point *point)
{
	return add_point(model, &model->flow_ends, compare_by_flow, point);
}

static enum tc_status put_arrow(
	struct tc_model *model, sqlite3_stmt *insert, int64_t from, const struct tc_flow_point *to)
{
	const struct tc_label *label = &model->labels.rows[to->label];
	const struct tc_sql_value values[] = {
		tc_sql_int(model->ids->flow++),
		tc_sql_int(model->first.trace),
		tc_sql_text(label->category),
		tc_sql_text(label->name),
		tc_sql_int(from),
		tc_sql_int(to->slice_id),
	};

	return tc_sql_put(model->ctx, insert, values, sizeof(values) / sizeof(values[0]));
}

enum tc_status tc_flows_write(struct tc_model *model, sqlite3 *db)
{
	struct tc_flow_point last = {0};
	int64_t from = TC_NO_ID;
	sqlite3_stmt *insert = NULL;
	const void *record = NULL;
	enum tc_status status;

	if (!model->flow_ends)
		return TC_OK;
	status = tc_sql_prepare(&insert, model->ctx, db,
		"INSERT INTO flow(id, trace_id, category, name, slice_out, slice_in) "
		"VALUES (?, ?, ?, ?, ?, ?)");
	if (!status)
		status = tc_sorter_rewind(model->flow_ends);
	while (!status && !(status = tc_sorter_next(model->flow_ends, &record)) && record) {
		const struct tc_flow_point *point = record;
		if (compare_flow(&last, point) != 0)
			from = TC_NO_ID;
		last = *point;
		if (point->role != TC_FLOW_START && from != TC_NO_ID)
			status = put_arrow(model, insert, from, point);
		if (point->role != TC_FLOW_END)
			from = point->slice_id;
	}
	sqlite3_finalize(insert);
	return status;
}
