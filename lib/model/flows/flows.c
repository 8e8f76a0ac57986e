/* Flow points, sorted twice: by track to find their slices, by flow to find their arrows; see
 * flows.h. */
#include "model/flows/flows.h"
#include "core/array.h"

enum { SORT_BYTES = 2 * 1024 * 1024 };

/* Points that bind to the next slice come first: a slice that starts at this time is their next one
 * before it encloses the others. */
TC_ORDER(compare_by_track, struct tc_flow_point,
	TC_UP(track) TC_UP(ts_ns) TC_DOWN(binds_next) TC_UP(sequence));

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

TC_ORDER(compare_by_flow, struct tc_flow_point,
	TC_BY(compare_flow) TC_UP(ts_ns) TC_UP(role) TC_UP(sequence));

TC_ORDER(compare_memory_links, struct tc_memory_link_row, TC_UP(memory_id));

static const struct tc_sorter_layout points_by_track = {
	sizeof(struct tc_flow_point), SORT_BYTES, compare_by_track};
static const struct tc_sorter_layout points_by_flow = {
	sizeof(struct tc_flow_point), SORT_BYTES, compare_by_flow};
static const struct tc_sorter_layout memory_links = {
	sizeof(struct tc_memory_link_row), SORT_BYTES, compare_memory_links};

void tc_flows_clear(struct tc_flows *flows)
{
	tc_sorter_free(flows->points);
	tc_sorter_free(flows->bound);
	tc_sorter_free(flows->memory_links);
}

static bool has_id(const struct tc_scalar *id)
{
	return id->kind == TC_SCALAR_INT || id->kind == TC_SCALAR_NUMBER ||
	       (id->kind == TC_SCALAR_TEXT && id->text.len > 0);
}

enum tc_status tc_flows_add(
	struct tc_flows *flows, const struct tc_raw_event *event, uint32_t track, uint32_t label)
{
	struct tc_flow_point point = {
		.ts_ns = event->ts_ns,
		.sequence = flows->sequence++,
		.track = track,
		.label = label,
		.role = event->ph == 's'   ? TC_FLOW_START
			: event->ph == 't' ? TC_FLOW_STEP
					   : TC_FLOW_END,
		.binds_next = event->ph == 'f' && !tc_text_equal(event->bp, TC_TEXT("e")),
	};

	if (!has_id(&event->id))
		return tc_import_log_add_event(flows->log, TC_LOG_BAD_ID, event);
	if (!tc_tracks_ident(flows->tracks, &event->id, &point.id))
		return tc_tracks_fail(flows->tracks, flows->ctx);
	return tc_sorter_put(&flows->points, flows->ctx, &points_by_track, &point);
}

enum tc_status tc_flows_read_v2(
	struct tc_flow_end *end, struct tc_flows *flows, const struct tc_raw_event *event)
{
	*end = (struct tc_flow_end){.role = !event->flow_in   ? TC_FLOW_START
					    : event->flow_out ? TC_FLOW_STEP
							      : TC_FLOW_END};
	if (event->bind_id.kind == TC_SCALAR_NONE)
		return TC_OK;
	if (!has_id(&event->bind_id))
		return tc_import_log_add_event(flows->log, TC_LOG_BAD_ID, event);
	if (!event->flow_in && !event->flow_out)
		return tc_import_log_add_event(flows->log, TC_LOG_FLOW_WITHOUT_DIRECTION, event);
	end->is_there = true;
	return tc_tracks_ident(flows->tracks, &event->bind_id, &end->id)
		       ? TC_OK
		       : tc_tracks_fail(flows->tracks, flows->ctx);
}

enum tc_status tc_flows_add_v2(struct tc_flows *flows, const struct tc_flow_end *end, int64_t ts_ns,
	uint32_t label, int64_t slice_id)
{
	const struct tc_flow_point point = {
		.ts_ns = ts_ns,
		.sequence = flows->sequence++,
		.label = label,
		.id = end->id,
		.is_v2 = true,
		.slice_id = slice_id,
		.role = end->role,
	};

	return end->is_there ? tc_flows_add_bound(flows, &point) : TC_OK;
}

enum tc_status tc_flows_add_memory(
	struct tc_flows *flows, int64_t ts_ns, uint32_t track, int64_t memory_id)
{
	const struct tc_flow_point point = {
		.ts_ns = ts_ns,
		.sequence = flows->sequence++,
		.track = track,
		.id = {.number = memory_id},
		.role = TC_FLOW_MEMORY,
	};

	return tc_sorter_put(&flows->points, flows->ctx, &points_by_track, &point);
}

enum tc_status tc_flows_add_bound(struct tc_flows *flows, const struct tc_flow_point *point)
{
	const struct tc_memory_link_row link = {point->id.number, point->slice_id};

	if (point->role == TC_FLOW_MEMORY)
		return tc_sorter_put(&flows->memory_links, flows->ctx, &memory_links, &link);
	return tc_sorter_put(&flows->bound, flows->ctx, &points_by_flow, point);
}

static enum tc_status emit_memory_link(void *user, const void *record)
{
	struct tc_row_sink *sink = user;
	struct tc_memory_link_row *row = tc_batch_add_memory_link(sink->batch);

	if (!row)
		return tc_row_sink_no_memory(sink);
	*row = *(const struct tc_memory_link_row *)record;
	return tc_row_sink_flush(sink, false);
}

/* The state of reading points by flow. */
struct flow {
	tc_flow_arrow_fn fn;
	void *user;
	struct tc_flow_point last;
	struct tc_flow_point from; /* the latest start or step */
	bool has_from;
	bool has_arrow;          /* one starts there */
	int64_t unmatched_count; /* so far: starts without an end, ends without a start */
};

/* Counts the latest start if no arrow starts there. */
static void leave_start(struct flow *flow)
{
	if (flow->has_from && !flow->has_arrow)
		flow->unmatched_count++;
	flow->has_from = false;
}

static enum tc_status on_point(void *user, const void *record)
{
	struct flow *flow = user;
	const struct tc_flow_point *point = record;
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
		/* A step that an arrow reached is no unmatched start. */
		flow->has_arrow = point->role == TC_FLOW_STEP;
	}
	return status;
}

enum tc_status tc_flows_each(
	struct tc_flows *flows, tc_flow_arrow_fn fn, void *user, int64_t *unmatched_count)
{
	struct flow flow = {.fn = fn, .user = user};
	enum tc_status status = tc_sorter_each(flows->bound, on_point, &flow);

	leave_start(&flow);
	*unmatched_count = flow.unmatched_count;
	return status;
}

static enum tc_status emit_arrow(
	void *user, const struct tc_flow_point *from, const struct tc_flow_point *to)
{
	struct tc_row_sink *sink = user;
	struct tc_flow_row *row = tc_batch_add_flow(sink->batch);

	if (!row)
		return tc_row_sink_no_memory(sink);
	row->id = sink->next->flow++;
	row->label_id = (uint32_t)sink->first.label + to->label;
	row->slice_out = from->slice_id;
	row->slice_in = to->slice_id;
	return tc_row_sink_flush(sink, false);
}

enum tc_status tc_flows_emit(struct tc_flows *flows, struct tc_row_sink *sink)
{
	int64_t unmatched_count = 0;
	enum tc_status status = tc_flows_each(flows, emit_arrow, sink, &unmatched_count);

	if (!status)
		status = tc_sorter_each(flows->memory_links, emit_memory_link, sink);
	if (status)
		return status;
	/* One entry for all: traces that begin in the middle have many. */
	return tc_import_log_add_count(flows->log, TC_LOG_UNMATCHED_FLOW,
		unmatched_count + flows->unbound_count,
		TC_TEXT("flow ends without a start, or starts without an end"));
}
