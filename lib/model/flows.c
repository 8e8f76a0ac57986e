/*
 * Flows and nesting: one walk over the tracks in time order finds depth and parent of host slices,
 * and the slices that points on tracks bind to; then the points of each flow make its arrows.
 *
 * Points are sorted twice: by track, to find their slices in the walk, and by flow, to find their
 * arrows. They bind as in Perfetto: to the enclosing slice, or, for an end without bp "e", to the
 * next slice of the track. A slice encloses the points at its very start and, when no later slice
 * starts there, at its very end (clocks of whole microseconds make both common):
 *
 *   track 1      [---- A ----]              s of flow 7 in A binds to A
 *                     s7
 *   track 2               f7   [-- B --]    f of flow 7 before B binds to B: the arrow A -> B
 *
 * An arrow leads from the latest start or step of a flow to each step and end after it.
 */
#include "model/flows.h"

#include "core/alloc.h"
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

static bool has_id(const struct tc_scalar *id)
{
	return id->kind == TC_SCALAR_INT || id->kind == TC_SCALAR_NUMBER ||
	       (id->kind == TC_SCALAR_TEXT && id->text.len > 0);
}

void tc_flows_add(
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

	if (!has_id(&event->id)) {
		tc_import_log_add_event(flows->log, TC_LOG_BAD_ID, event);
		return;
	}
	point.id = tc_tracks_ident(flows->tracks, &event->id);
	tc_sorter_put(&flows->points, flows->ctx, &points_by_track, &point);
}

struct tc_flow_end tc_flows_read_v2(struct tc_flows *flows, const struct tc_raw_event *event)
{
	struct tc_flow_end end = {.role = !event->flow_in   ? TC_FLOW_START
					  : event->flow_out ? TC_FLOW_STEP
							    : TC_FLOW_END};

	if (event->bind_id.kind == TC_SCALAR_NONE)
		return end;
	if (!has_id(&event->bind_id)) {
		tc_import_log_add_event(flows->log, TC_LOG_BAD_ID, event);
	} else if (!event->flow_in && !event->flow_out) {
		tc_import_log_add_event(flows->log, TC_LOG_FLOW_WITHOUT_DIRECTION, event);
	} else {
		end.is_there = true;
		end.id = tc_tracks_ident(flows->tracks, &event->bind_id);
	}
	return end;
}

/* Adds a point whose slice_id is set. */
static void add_bound(struct tc_flows *flows, const struct tc_flow_point *point)
{
	const struct tc_memory_link_row link = {point->id.number, point->slice_id};

	if (point->role == TC_FLOW_MEMORY)
		tc_sorter_put(&flows->memory_links, flows->ctx, &memory_links, &link);
	else
		tc_sorter_put(&flows->bound, flows->ctx, &points_by_flow, point);
}

void tc_flows_add_v2(struct tc_flows *flows, const struct tc_flow_end *end, int64_t ts_ns,
	uint32_t label, int64_t slice_id)
{
	const struct tc_flow_point point = {
		.ts_ns = ts_ns,
		.label = label,
		.id = end->id,
		.is_v2 = true,
		.slice_id = slice_id,
		.role = end->role,
		.sequence = flows->sequence++,
	};

	if (end->is_there)
		add_bound(flows, &point);
}

void tc_flows_add_memory(struct tc_flows *flows, int64_t ts_ns, uint32_t track, int64_t memory_id)
{
	const struct tc_flow_point point = {
		.ts_ns = ts_ns,
		.sequence = flows->sequence++,
		.track = track,
		.id = {.number = memory_id},
		.role = TC_FLOW_MEMORY,
	};

	tc_sorter_put(&flows->points, flows->ctx, &points_by_track, &point);
}

/* ---- the walk */

struct walk {
	struct tc_flows *flows;
	const struct tc_timeline *timeline;
	struct tc_sorter *rows; /* of slice_nest, by slice; NULL when only points are bound */
	struct tc_nesting open;
	const struct tc_flow_point *point; /* the next one, NULL at the end */
	struct tc_flow_point *pending;     /* that bind to the next slice */
	size_t pending_count, pending_capacity;
	bool is_lane;
};

TC_ORDER(compare_rows, struct tc_nest_row, TC_UP(slice_id));

static void push(struct walk *walk, const struct tc_span *span)
{
	size_t parent = tc_nesting_add(&walk->open, walk->timeline->ctx, span);

	if (parent == SIZE_MAX || walk->is_lane || !walk->rows)
		return;
	const struct tc_nested *around = &walk->open.items[parent];
	const struct tc_nest_row row = {span->slice_id, around->slice_id, around->depth + 1};
	tc_sorter_add(walk->rows, &row);
}

static void bind(struct walk *walk, const struct tc_flow_point *point, int64_t slice_id)
{
	struct tc_flow_point bound = *point;

	bound.slice_id = slice_id;
	add_bound(walk->flows, &bound);
}

/* Binds the point to the slice around it: the latest one to start, one still open before one that
 * ends there. */
static void bind_enclosing(struct walk *walk, const struct tc_flow_point *point)
{
	const struct tc_nesting *stack = &walk->open;
	size_t floor =
		stack->count > TC_NESTING_SEARCH_MAX ? stack->count - TC_NESTING_SEARCH_MAX : 0;
	const struct tc_nested *ended = NULL;

	for (size_t i = stack->count; i-- > floor;) {
		const struct tc_nested *open = &stack->items[i];
		if (open->end_ns > point->ts_ns || open->ts_ns == point->ts_ns) {
			bind(walk, point, open->slice_id);
			return;
		}
		if (open->end_ns == point->ts_ns && !ended)
			ended = open;
	}
	if (ended)
		bind(walk, point, ended->slice_id);
	else
		walk->flows->unbound_count += point->role != TC_FLOW_MEMORY;
}

/* Binds the points of track before ts_ns, or lets them wait for the next slice. */
static void points_before(struct walk *walk, uint32_t track, int64_t ts_ns)
{
	while (walk->point && walk->point->track == track && walk->point->ts_ns < ts_ns) {
		tc_nesting_end(&walk->open, walk->point->ts_ns);
		if (walk->point->binds_next)
			TC_PUSH(walk->timeline->ctx, walk->pending, walk->pending_count,
				walk->pending_capacity, *walk->point);
		else
			bind_enclosing(walk, walk->point);
		walk->point = tc_sorter_next(walk->flows->points);
	}
}

/* Binds the points that wait for the next slice to span, and those at its start. */
static void bind_pending(struct walk *walk, uint32_t track, const struct tc_span *span)
{
	for (size_t i = 0; i < walk->pending_count; i++)
		bind(walk, &walk->pending[i], span->slice_id);
	walk->pending_count = 0;
	while (walk->point && walk->point->track == track && walk->point->binds_next &&
		walk->point->ts_ns == span->ts_ns) {
		bind(walk, walk->point, span->slice_id);
		walk->point = tc_sorter_next(walk->flows->points);
	}
}

/* The entry has the name of an async track; threads are logged without a name. */
static void log_overlap(const struct walk *walk, const struct tc_track *track)
{
	tc_import_log_add_one(walk->flows->log, TC_LOG_OVERLAP, -1,
		track->thread < 0 ? track->name : TC_TEXT_NONE);
}

static void walk_track(struct walk *walk, uint32_t track)
{
	struct tc_cursor *cursor = tc_cursor_open(walk->timeline->spans, &track, 1);
	const struct tc_span *span;

	walk->open.count = walk->pending_count = 0;
	walk->is_lane = walk->timeline->tracks[track].kind == TC_TRACK_LANE;
	while ((span = tc_cursor_next(cursor))) {
		points_before(walk, track, span->ts_ns);
		tc_nesting_end(&walk->open, span->ts_ns);
		bind_pending(walk, track, span);
		push(walk, span);
	}
	tc_cursor_close(cursor);
	points_before(walk, track, INT64_MAX);
	walk->flows->unbound_count += (int64_t)walk->pending_count;
	if (walk->open.has_overlap && !walk->is_lane && walk->rows)
		log_overlap(walk, &walk->timeline->tracks[track]);
	walk->open.has_overlap = false;
}

/* Walks all tracks of the host, and lanes with points; without rows only the tracks with points. */
static void walk_tracks(struct walk *walk)
{
	struct tc_flows *flows = walk->flows;

	walk->point = tc_sorter_first(flows->points);
	for (uint32_t i = 0; i < walk->timeline->track_count && !tc_ctx_failed(flows->ctx); i++) {
		bool is_lane = walk->timeline->tracks[i].kind == TC_TRACK_LANE;
		if ((walk->rows && !is_lane) || (walk->point && walk->point->track == i))
			walk_track(walk, i);
	}
	tc_sorter_free(flows->points);
	flows->points = NULL;
	tc_nesting_clear(&walk->open);
	tc_free(walk->pending);
}

static void emit_nesting(
	struct tc_flows *flows, const struct tc_timeline *timeline, struct tc_row_sink *sink)
{
	struct walk walk = {.flows = flows, .timeline = timeline};
	const struct tc_nest_row *found;

	walk.rows =
		tc_sorter_new(timeline->ctx, sizeof(struct tc_nest_row), SORT_BYTES, compare_rows);
	if (!walk.rows)
		return;
	walk_tracks(&walk);
	/* In the order of slices, so that the table is appended to. */
	for (found = tc_sorter_first(walk.rows); found; found = tc_sorter_next(walk.rows)) {
		struct tc_nest_row *row = tc_row_sink_nest(sink);
		if (!row)
			break;
		*row = *found;
		tc_row_sink_flush(sink, false);
	}
	tc_sorter_free(walk.rows);
}

/* ---- arrows */

/* The state of reading points by flow. */
struct reading {
	struct tc_flow_point last;
	struct tc_flow_point from; /* the latest start or step */
	bool has_from;
	bool has_arrow;          /* one starts there */
	int64_t unmatched_count; /* so far: starts without an end, ends without a start */
};

/* Counts the latest start if no arrow starts there. */
static void leave_start(struct reading *reading)
{
	if (reading->has_from && !reading->has_arrow)
		reading->unmatched_count++;
	reading->has_from = false;
}

/* Returns the number of points without another end. */
static int64_t each_arrow(struct tc_flows *flows, tc_flow_arrow_fn fn, void *user)
{
	struct reading reading = {.has_from = false};
	const struct tc_flow_point *point;

	for (point = tc_sorter_first(flows->bound); point; point = tc_sorter_next(flows->bound)) {
		if (compare_flow(&reading.last, point) != 0)
			leave_start(&reading);
		reading.last = *point;
		if (point->role != TC_FLOW_START && reading.has_from) {
			fn(user, &reading.from, point);
			reading.has_arrow = true;
		} else if (point->role == TC_FLOW_END) {
			reading.unmatched_count++;
		}
		if (point->role == TC_FLOW_END)
			continue;
		leave_start(&reading);
		reading.from = *point;
		reading.has_from = true;
		/* A step that an arrow reached is no unmatched start. */
		reading.has_arrow = point->role == TC_FLOW_STEP;
	}
	leave_start(&reading);
	return reading.unmatched_count;
}

void tc_flows_bind_each(
	struct tc_flows *flows, const struct tc_timeline *timeline, tc_flow_arrow_fn fn, void *user)
{
	walk_tracks(&(struct walk){.flows = flows, .timeline = timeline});
	each_arrow(flows, fn, user);
}

static void emit_arrow(void *user, const struct tc_flow_point *from, const struct tc_flow_point *to)
{
	struct tc_row_sink *sink = user;
	struct tc_flow_row *row = tc_row_sink_flow(sink);

	if (!row)
		return;
	row->id = sink->next->flow++;
	row->label_id = (uint32_t)sink->first.label + to->label;
	row->slice_out = from->slice_id;
	row->slice_in = to->slice_id;
	tc_row_sink_flush(sink, false);
}

void tc_flows_emit(
	struct tc_flows *flows, const struct tc_timeline *timeline, struct tc_row_sink *sink)
{
	const struct tc_memory_link_row *link;

	emit_nesting(flows, timeline, sink);
	int64_t unmatched_count = each_arrow(flows, emit_arrow, sink);

	for (link = tc_sorter_first(flows->memory_links); link;
		link = tc_sorter_next(flows->memory_links)) {
		struct tc_memory_link_row *row = tc_row_sink_memory_link(sink);
		if (!row)
			break;
		*row = *link;
		tc_row_sink_flush(sink, false);
	}
	/* One entry for all: traces that begin in the middle have many. */
	tc_import_log_add_count(flows->log, TC_LOG_UNMATCHED_FLOW,
		unmatched_count + flows->unbound_count,
		TC_TEXT("flow ends without a start, or starts without an end"));
}
