/* Device work and its launches, in two passes; see launches.h. */

#include "model/launch/launches.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"
#include "model/flows/flows.h"
#include "model/flows/nest.h"
#include "model/launch/recipes.h"
#include "model/launch/recording.h"
#include "model/timeline/timeline.h"
#include "model/tracks/tracks.h"

/*
 * Launches by flow: for lanes whose work has no correlation id (rocprof, RPD, profilers of Ascend
 * without the CANN layer), but arrows from the host lead to it. The call is the slice where the
 * arrow starts; of several arrows the one that starts last counts, because its slice is nearest to
 * the device.
 */

struct tc_arrows;

/* An arrow to a slice of a lane. */
struct tc_arrow {
	int64_t to, from;      /* slice ids */
	int64_t ts_ns, end_ns; /* of from */
	uint32_t label;        /* of from */
};

void tc_arrows_free(struct tc_arrows *arrows); /* NULL is fine */

struct tc_arrows {
	const struct tc_timeline *timeline; /* borrowed, as the next two */
	const struct tc_tracks *tracks;
	struct tc_recording *recording;
	struct tc_arrow *rows;
	size_t count, capacity;
	int64_t over_count; /* beyond the limit */
};

/* Lanes with correlation ids or recipes have better evidence than arrows. */
static bool needs_arrows(const struct tc_tracks *tracks, uint32_t track)
{
	const struct tc_track_row *row = &tracks->tracks[track];

	return row->kind == TC_TRACK_LANE && row->has_flow_end && !row->has_correlation &&
	       !tc_engine_is_gaudi(row->engine) &&
	       (row->engine != TC_ENGINE_NONE || row->has_device_work);
}

static bool any_needs_arrows(const struct tc_tracks *tracks)
{
	for (uint32_t i = 0; i < tracks->track_count; i++)
		if (needs_arrows(tracks, i))
			return true;
	return false;
}

static enum tc_status collect(
	void *user, const struct tc_flow_point *from, const struct tc_flow_point *to)
{
	struct tc_arrows *arrows = user;

	if (to->is_v2 || arrows->tracks->tracks[from->track].kind != TC_TRACK_THREAD ||
		!needs_arrows(arrows->tracks, to->track))
		return TC_OK;
	if (arrows->count >= TC_CALL_MAX_COUNT) {
		arrows->over_count++;
		return TC_OK;
	}
	if (!TC_GROW(arrows->rows, arrows->capacity, arrows->count + 1) ||
		!tc_recording_add_launch(arrows->recording, to->track, to->ts_ns, from->ts_ns))
		return tc_no_memory(arrows->timeline->ctx);
	arrows->rows[arrows->count++] =
		(struct tc_arrow){.to = to->slice_id, .from = from->slice_id};
	return TC_OK;
}

TC_ORDER(compare_from, struct tc_arrow, TC_UP(from) TC_UP(to));

/* Of arrows to one slice the one that starts last comes first. */
TC_ORDER(compare_to, struct tc_arrow, TC_UP(to) TC_DOWN(ts_ns) TC_DOWN(from));

/* The first row whose slice to, or from, is not below slice_id. */
static size_t first_of(const struct tc_arrows *arrows, int64_t slice_id, bool by_to)
{
	const struct tc_arrow *rows = arrows->rows;
	size_t at;

	TC_BISECT(at, arrows->count, (by_to ? rows[at].to : rows[at].from) < slice_id);
	return at;
}

/* Sets the times of the arrows that start on one host track. */
static enum tc_status read_times(struct tc_arrows *arrows, uint32_t track)
{
	struct tc_cursor *cursor = tc_cursor_open(arrows->timeline->spans, &track, 1);
	const struct tc_span *span;

	while ((span = tc_cursor_next(cursor))) {
		for (size_t i = first_of(arrows, span->slice_id, false);
			i < arrows->count && arrows->rows[i].from == span->slice_id; i++) {
			arrows->rows[i].ts_ns = span->ts_ns;
			arrows->rows[i].end_ns = tc_span_known_end_ns(span);
			arrows->rows[i].label = span->label;
		}
	}
	tc_cursor_close(cursor);
	return tc_ctx_status(arrows->timeline->ctx);
}

/* Keeps the first row of every slice that arrows lead to. */
static void keep_nearest(struct tc_arrows *arrows)
{
	size_t count = 0;

	for (size_t i = 0; i < arrows->count; i++)
		if (count == 0 || arrows->rows[count - 1].to != arrows->rows[i].to)
			arrows->rows[count++] = arrows->rows[i];
	arrows->count = count;
}

static enum tc_status fill(struct tc_arrows *arrows, struct tc_flows *flows)
{
	const struct tc_tracks *tracks = arrows->tracks;
	int64_t unmatched_count;
	enum tc_status status = tc_nest_bind(flows, arrows->timeline);

	if (!status)
		status = tc_flows_each(flows, collect, arrows, &unmatched_count);
	if (status || arrows->count == 0)
		return status;
	TC_SORT(arrows->rows, arrows->count, compare_from);
	for (uint32_t i = 0; i < tracks->track_count && !status; i++)
		if (tracks->tracks[i].kind == TC_TRACK_THREAD)
			status = read_times(arrows, i);
	TC_SORT(arrows->rows, arrows->count, compare_to);
	keep_nearest(arrows);
	return status ? status
		      : tc_import_log_add_count(flows->log, TC_LOG_LAUNCH_LIMIT, arrows->over_count,
				TC_TEXT("flows from launch calls to device work"));
}

/*
 * *out is owned by the caller, NULL when no lane needs arrows. The timeline is sorted. Binds the
 * points of flows, if arrows are needed. Work that an arrow leads to is added to recording.
 */
static enum tc_status arrows_find(struct tc_arrows **out, struct tc_flows *flows,
	const struct tc_timeline *timeline, const struct tc_tracks *tracks,
	struct tc_recording *recording)
{
	*out = NULL;
	if (!flows->points || !any_needs_arrows(tracks))
		return TC_OK;
	struct tc_arrows *arrows = tc_calloc(1, sizeof(*arrows));
	if (!arrows)
		return tc_no_memory(timeline->ctx);
	*arrows =
		(struct tc_arrows){.timeline = timeline, .tracks = tracks, .recording = recording};
	enum tc_status status = fill(arrows, flows);
	if (status)
		tc_arrows_free(arrows);
	else
		*out = arrows;
	return status;
}

void tc_arrows_free(struct tc_arrows *arrows)
{
	if (!arrows)
		return;
	tc_free(arrows->rows);
	tc_free(arrows);
}

/* The arrow to a slice, NULL when there is none; arrows may be NULL. */
static const struct tc_arrow *arrow_to(const struct tc_arrows *arrows, int64_t slice_id)
{
	size_t at = arrows ? first_of(arrows, slice_id, true) : 0;

	return arrows && at < arrows->count && arrows->rows[at].to == slice_id ? &arrows->rows[at]
									       : NULL;
}

struct resolver {
	struct tc_launches *launches;
	struct tc_arrows *arrows;
	struct tc_matcher *matcher;
	/* The lanes of every device together, those of device d from starts[d] to starts[d + 1]. */
	uint32_t *lanes;
	size_t *starts;
};

/* False when no arrow leads to the operation. */
static bool follow_arrow(const struct resolver *resolver, struct tc_span *span)
{
	const struct tc_arrow *arrow = arrow_to(resolver->arrows, span->slice_id);

	if (!arrow)
		return false;
	span->launch_slice_id = arrow->from;
	span->launch_ts_ns = arrow->ts_ns;
	span->launch_end_ns = arrow->end_ns;
	span->launch_label = arrow->label;
	span->method = TC_LAUNCH_FLOW;
	span->step = tc_timeline_step_at(resolver->launches->timeline, arrow->ts_ns);
	return true;
}

/* Sets call and step of one operation to those of the match. */
static void take_match(
	const struct resolver *resolver, struct tc_span *span, const struct tc_match *match)
{
	enum tc_launch_method method = match->method;

	if (method == TC_LAUNCH_UNKNOWN)
		method = tc_recording_follows(&resolver->launches->recording, span)
				 ? TC_LAUNCH_BEFORE
				 : TC_LAUNCH_TIME;
	span->method = (uint8_t)method;
	if (method == TC_LAUNCH_BEFORE)
		return;
	if (match->call) {
		span->launch_slice_id = match->call->slice_id;
		span->launch_ts_ns = match->call->begin_ns;
		span->launch_end_ns = match->call->end_ns;
		span->launch_label = match->call->label;
	}
	span->step = tc_timeline_step_at(resolver->launches->timeline, match->step_ns);
}

static enum tc_status resolve_op(const struct resolver *resolver, struct tc_span *span)
{
	if (span->launch_slice_id != TC_NO_ID ||
		tc_span_engine(resolver->launches->timeline, span) == TC_ENGINE_NONE)
		return TC_OK;
	const struct tc_match match = tc_matcher_find(resolver->matcher, span);
	if (!follow_arrow(resolver, span))
		take_match(resolver, span, &match);
	return tc_links_add(&resolver->launches->links, span);
}

static enum tc_status resolve_lanes(
	const struct resolver *resolver, const uint32_t *lanes, size_t lane_count)
{
	struct tc_timeline *timeline = resolver->launches->timeline;
	struct tc_cursor *cursor = tc_cursor_open(timeline->spans, lanes, lane_count);
	const struct tc_span *span;

	while ((span = tc_cursor_next(cursor))) {
		struct tc_span linked = *span;
		if (resolve_op(resolver, &linked))
			break;
		tc_cursor_link(cursor, &linked);
	}
	tc_cursor_close(cursor);
	return tc_ctx_status(timeline->ctx);
}

/* Puts the lanes with work without a launch first; returns how many they are. */
static size_t unlaunched_first(const struct tc_spans *spans, uint32_t *lanes, size_t lane_count)
{
	size_t count = 0;

	for (size_t i = 0; i < lane_count; i++)
		if (tc_spans_has_unlaunched(spans, lanes[i])) {
			uint32_t lane = lanes[i];
			lanes[i] = lanes[count];
			lanes[count++] = lane;
		}
	return count;
}

static enum tc_status resolve_device(const struct resolver *resolver, size_t device)
{
	uint32_t *lanes = resolver->lanes + resolver->starts[device];
	size_t lane_count = resolver->starts[device + 1] - resolver->starts[device];
	size_t count = unlaunched_first(resolver->launches->timeline->spans, lanes, lane_count);
	enum tc_status status = TC_OK;

	if (count > 0)
		status = tc_matcher_read(resolver->matcher, device, lanes, count);
	return status || count == 0 ? status : resolve_lanes(resolver, lanes, count);
}

static enum tc_status group_lanes(struct resolver *resolver)
{
	const struct tc_tracks *tracks = resolver->launches->tracks;
	size_t device_count = resolver->launches->timeline->device_count;
	size_t *starts = resolver->starts = tc_calloc(device_count + 2, sizeof(*starts));

	resolver->lanes = tc_calloc(tracks->track_count, sizeof(*resolver->lanes));
	if (!resolver->lanes || !starts)
		return tc_no_memory(resolver->launches->ctx);
	/* Counted two places up: filling moves every start to its place. */
	for (uint32_t i = 0; i < tracks->track_count; i++)
		if (tracks->tracks[i].kind == TC_TRACK_LANE)
			starts[tracks->tracks[i].device_index + 2]++;
	for (size_t d = 2; d < device_count + 2; d++)
		starts[d] += starts[d - 1];
	for (uint32_t i = 0; i < tracks->track_count; i++)
		if (tracks->tracks[i].kind == TC_TRACK_LANE)
			resolver->lanes[starts[tracks->tracks[i].device_index + 1]++] = i;
	return TC_OK;
}

enum tc_status tc_launches_resolve(struct tc_launches *launches)
{
	struct tc_timeline *timeline = launches->timeline;
	struct resolver resolver = {.launches = launches};
	enum tc_status status = arrows_find(&resolver.arrows, launches->flows, timeline,
		launches->tracks, &launches->recording);

	if (!status)
		status = tc_matcher_open(&resolver.matcher, timeline, launches->calls);
	if (!status)
		status = group_lanes(&resolver);
	for (size_t device = 0; device < timeline->device_count && !status; device++)
		status = resolve_device(&resolver, device);
	if (!status)
		status = tc_import_log_add_count(launches->log, TC_LOG_LAUNCH_LIMIT,
			tc_matcher_over_count(resolver.matcher),
			TC_TEXT("launch calls and executions of recipes"));
	if (!status)
		tc_spans_linked(timeline->spans);
	tc_matcher_close(resolver.matcher);
	tc_arrows_free(resolver.arrows);
	tc_free(resolver.lanes);
	tc_free(resolver.starts);
	return status;
}

void tc_launches_init(struct tc_launches *launches)
{
	launches->links.ctx = launches->ctx;
	launches->correlation = (struct tc_correlation){.log = launches->log,
		.timeline = launches->timeline,
		.recording = &launches->recording,
		.links = &launches->links};
}

void tc_launches_clear(struct tc_launches *launches)
{
	tc_recording_clear(&launches->recording);
	tc_sorter_free(launches->correlation.sorter);
	tc_sorter_free(launches->calls);
	tc_links_clear(&launches->links);
}

enum tc_status tc_launches_add_call(
	struct tc_launches *launches, const struct tc_span *span, enum tc_call_class call_class)
{
	return tc_calls_add(&launches->calls, launches->ctx, span, call_class);
}

enum tc_status tc_launches_add(struct tc_launches *launches, const struct tc_span *span, int64_t id,
	const struct tc_label *label)
{
	return tc_correlation_add(&launches->correlation, span, id, label);
}

enum tc_status tc_launches_join(struct tc_launches *launches)
{
	return tc_correlation_join(&launches->correlation);
}

enum tc_status tc_launches_emit(struct tc_launches *launches, struct tc_row_sink *sink)
{
	return tc_links_emit(&launches->links, launches->timeline, sink);
}
