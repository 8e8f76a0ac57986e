/* Device work and its launches, in two passes; see launches.h. */
#include "model/launch/launches.h"

#include "core/alloc.h"
#include "model/launch/arrows.h"
#include "model/launch/recipes.h"

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
	const struct tc_arrow *arrow = tc_arrow_to(resolver->arrows, span->slice_id);

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
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	enum tc_status status = tc_cursor_open(&cursor, timeline, lanes, lane_count);

	while (!status && !(status = tc_cursor_next(cursor, &span)) && span) {
		struct tc_span linked = *span;
		status = resolve_op(resolver, &linked);
		if (!status)
			status = tc_cursor_link(cursor, &linked);
	}
	tc_cursor_close(cursor);
	return status;
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
	enum tc_status status = tc_arrows_find(&resolver.arrows, launches->flows, timeline,
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
		status = tc_spans_linked(timeline->spans);
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
