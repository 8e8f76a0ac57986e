/* Nesting with a stack of open slices; see nest.h. */
#include "model/flows/nest.h"

#include "core/alloc.h"
#include "core/array.h"

enum { SORT_BYTES = 2 * 1024 * 1024 };

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

static enum tc_status push(struct walk *walk, const struct tc_span *span)
{
	size_t parent = tc_nesting_add(&walk->open, walk->timeline->ctx, span);

	if (parent == SIZE_MAX || walk->is_lane || !walk->rows)
		return TC_OK;
	const struct tc_nested *around = &walk->open.items[parent];
	const struct tc_nest_row row = {span->slice_id, around->slice_id, around->depth + 1};
	return tc_sorter_add(walk->rows, &row);
}

static enum tc_status bind(struct walk *walk, const struct tc_flow_point *point, int64_t slice_id)
{
	struct tc_flow_point bound = *point;

	bound.slice_id = slice_id;
	return tc_flows_add_bound(walk->flows, &bound);
}

/* Binds the point to the slice around it: the latest one to start, one still open before one that
 * ends there. */
static enum tc_status bind_enclosing(struct walk *walk, const struct tc_flow_point *point)
{
	const struct tc_nesting *stack = &walk->open;
	size_t floor =
		stack->count > TC_NESTING_SEARCH_MAX ? stack->count - TC_NESTING_SEARCH_MAX : 0;
	const struct tc_nested *ended = NULL;

	for (size_t i = stack->count; i-- > floor;) {
		const struct tc_nested *open = &stack->items[i];
		if (open->end_ns > point->ts_ns || open->ts_ns == point->ts_ns)
			return bind(walk, point, open->slice_id);
		if (open->end_ns == point->ts_ns && !ended)
			ended = open;
	}
	if (!ended) {
		walk->flows->unbound_count += point->role != TC_FLOW_MEMORY;
		return TC_OK;
	}
	return bind(walk, point, ended->slice_id);
}

static enum tc_status wait_for_next(struct walk *walk, const struct tc_flow_point *point)
{
	if (!TC_GROW(walk->pending, walk->pending_capacity, walk->pending_count + 1))
		return tc_no_memory(walk->timeline->ctx);
	walk->pending[walk->pending_count++] = *point;
	return TC_OK;
}

/* Binds the points of track before ts_ns, or lets them wait for the next slice. */
static enum tc_status points_before(struct walk *walk, uint32_t track, int64_t ts_ns)
{
	enum tc_status status = TC_OK;

	while (!status && walk->point && walk->point->track == track &&
		walk->point->ts_ns < ts_ns) {
		tc_nesting_end(&walk->open, walk->point->ts_ns);
		status = walk->point->binds_next ? wait_for_next(walk, walk->point)
						 : bind_enclosing(walk, walk->point);
		if (!status)
			status = TC_SORTER_NEXT(walk->flows->points, walk->point);
	}
	return status;
}

/* Binds the points that wait for the next slice to span, and those at its start. */
static enum tc_status bind_pending(struct walk *walk, uint32_t track, const struct tc_span *span)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < walk->pending_count && !status; i++)
		status = bind(walk, &walk->pending[i], span->slice_id);
	walk->pending_count = 0;
	while (!status && walk->point && walk->point->track == track && walk->point->binds_next &&
		walk->point->ts_ns == span->ts_ns) {
		status = bind(walk, walk->point, span->slice_id);
		if (!status)
			status = TC_SORTER_NEXT(walk->flows->points, walk->point);
	}
	return status;
}

/* The entry has the name of an async track; threads are logged without a name. */
static enum tc_status log_overlap(const struct walk *walk, const struct tc_track *track)
{
	return tc_import_log_add_one(walk->flows->log, TC_LOG_OVERLAP, -1,
		track->thread < 0 ? track->name : TC_TEXT_NONE);
}

static enum tc_status walk_track(struct walk *walk, uint32_t track)
{
	struct tc_cursor *cursor = tc_cursor_open(walk->timeline->spans, &track, 1);
	const struct tc_span *span;
	enum tc_status status = TC_OK;

	walk->open.count = walk->pending_count = 0;
	walk->is_lane = walk->timeline->tracks[track].kind == TC_TRACK_LANE;
	while (!status && (span = tc_cursor_next(cursor))) {
		status = points_before(walk, track, span->ts_ns);
		tc_nesting_end(&walk->open, span->ts_ns);
		if (!status)
			status = bind_pending(walk, track, span);
		if (!status)
			status = push(walk, span);
	}
	tc_cursor_close(cursor);
	status = tc_ctx_status(walk->timeline->ctx);
	if (!status)
		status = points_before(walk, track, INT64_MAX);
	walk->flows->unbound_count += (int64_t)walk->pending_count;
	if (!status && walk->open.has_overlap && !walk->is_lane && walk->rows)
		status = log_overlap(walk, &walk->timeline->tracks[track]);
	walk->open.has_overlap = false;
	return status;
}

static enum tc_status emit_row(void *user, const void *record)
{
	struct tc_row_sink *sink = user;
	struct tc_nest_row *row = tc_batch_add_nest(sink->batch);

	if (!row)
		return tc_row_sink_no_memory(sink);
	*row = *(const struct tc_nest_row *)record;
	return tc_row_sink_flush(sink, false);
}

/* Walks all tracks of the host, and lanes with points; without rows only the tracks with points. */
static enum tc_status walk_tracks(struct walk *walk)
{
	struct tc_flows *flows = walk->flows;
	enum tc_status status = TC_SORTER_FIRST(flows->points, walk->point);

	for (uint32_t i = 0; i < walk->timeline->track_count && !status; i++) {
		bool is_lane = walk->timeline->tracks[i].kind == TC_TRACK_LANE;
		if ((walk->rows && !is_lane) || (walk->point && walk->point->track == i))
			status = walk_track(walk, i);
	}
	tc_sorter_free(flows->points);
	flows->points = NULL;
	tc_nesting_clear(&walk->open);
	tc_free(walk->pending);
	return status;
}

enum tc_status tc_nest_emit(
	struct tc_flows *flows, const struct tc_timeline *timeline, struct tc_row_sink *sink)
{
	struct walk walk = {.flows = flows, .timeline = timeline};
	enum tc_status status = tc_sorter_new(
		&walk.rows, timeline->ctx, sizeof(struct tc_nest_row), SORT_BYTES, compare_rows);

	if (!status)
		status = walk_tracks(&walk);
	/* In the order of slices, so that the table is appended to. */
	if (!status)
		status = tc_sorter_each(walk.rows, emit_row, sink);
	tc_sorter_free(walk.rows);
	return status;
}

enum tc_status tc_nest_bind(struct tc_flows *flows, const struct tc_timeline *timeline)
{
	struct walk walk = {.flows = flows, .timeline = timeline};

	return walk_tracks(&walk);
}
