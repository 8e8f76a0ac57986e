/*
 * Clocks. First what is at ts 0: where the rest of the trace is at least a second away and farther
 * from 0 than it is long, 0 is no time. Where nothing is there, the ranges of all tracks are sorted
 * and joined into groups: what is less than a minute apart is one group, and so is what is apart by
 * less than twenty times the length of all groups together.
 */
#include "analysis/clocks.h"

#include "core/alloc.h"
#include "core/array.h"

/* A trace that starts closer to 0 than this may really begin there. Clocks that get clamped count
 * from the epoch, the start of a quarter or the start of the machine. */
static const int64_t far_ns = INT64_C(1000000000);

static bool is_timed(const struct tc_track *track)
{
	return track->kind == TC_TRACK_THREAD || track->kind == TC_TRACK_LANE;
}

/* All tracks of threads and devices. */
static uint32_t *timed_tracks(
	struct tc_arena *arena, const struct tc_timeline *timeline, size_t *count)
{
	uint32_t *tracks = tc_arena_take(arena, timeline->track_count, sizeof(*tracks));

	*count = 0;
	for (size_t i = 0; i < timeline->track_count && tracks; i++)
		if (is_timed(&timeline->tracks[i]))
			tracks[(*count)++] = (uint32_t)i;
	return tracks;
}

/* Marks the devices with work at ts 0. Reading stops after that time. */
static void find_zeros(
	struct tc_clocks *clocks, const struct tc_timeline *timeline, struct tc_cursor *cursor)
{
	const struct tc_span *span;

	while ((span = tc_cursor_next(cursor)) && span->ts_ns <= 0) {
		const struct tc_track *track = &timeline->tracks[span->track];
		if (span->ts_ns < 0 || span->dur_ns < 0)
			continue;
		bool is_work = track->kind == TC_TRACK_LANE &&
			       tc_span_engine(timeline, span) != TC_ENGINE_NONE;
		if (is_work)
			clocks->is_clamped[track->device] = true;
		else if (track->kind != TC_TRACK_THREAD)
			continue;
		clocks->zero_is_no_time = true;
	}
}

/* The time range of all slices that are not at ts 0; *host is that of the host slices. */
static struct tc_interval read_rest(
	struct tc_interval *host, const struct tc_timeline *timeline, struct tc_cursor *cursor)
{
	struct tc_interval rest = TC_INTERVAL_NONE;
	const struct tc_span *span;

	while ((span = tc_cursor_next(cursor))) {
		if (span->ts_ns == 0 || span->dur_ns < 0)
			continue;
		struct tc_interval interval = tc_interval_of(span->ts_ns, span->dur_ns);
		rest = tc_interval_join(rest, interval);
		if (timeline->tracks[span->track].kind == TC_TRACK_THREAD)
			*host = tc_interval_join(*host, interval);
	}
	return rest;
}

/* Reads the tracks a second time only when something is at ts 0. */
static void find_clamped(
	struct tc_clocks *clocks, struct tc_arena *arena, const struct tc_timeline *timeline)
{
	struct tc_interval rest = TC_INTERVAL_NONE;
	size_t count = 0;
	const uint32_t *tracks = timed_tracks(arena, timeline, &count);

	if (tc_ctx_failed(timeline->ctx))
		return;
	struct tc_cursor *cursor = tc_cursor_open(timeline->spans, tracks, count);
	find_zeros(clocks, timeline, cursor);
	tc_cursor_close(cursor);
	if (clocks->zero_is_no_time) {
		cursor = tc_cursor_open(timeline->spans, tracks, count);
		rest = read_rest(&clocks->host, timeline, cursor);
		tc_cursor_close(cursor);
	}
	/* The rest is farther from 0 than it is long, so work at 0 would more than double the
	 * range. */
	bool is_far = rest.start_ns <= rest.end_ns && rest.start_ns >= far_ns &&
		      rest.start_ns > rest.end_ns - rest.start_ns;
	clocks->zero_is_no_time = is_far;
	for (size_t i = 0; i < timeline->device_count; i++)
		clocks->is_clamped[i] = clocks->is_clamped[i] && is_far;
}

/* Groups are apart when the time between them exceeds TC_CLOCKS_APART_MIN_NS and this many times
 * their total duration: no run pauses like that, while clocks differ by hours or years. Our
 * default, no published source. */
enum { APART_FACTOR = 20 };

/* A range of a track, or ranges that follow each other closely. */
struct group {
	struct tc_interval extent;
	int64_t slice_count, lane_slice_count;
	int64_t first_slice_id;
};

TC_ORDER(compare_groups, struct group,
	TC_UP(extent.start_ns) TC_UP(extent.end_ns) TC_UP(first_slice_id));

/* Puts the ranges of all tracks into groups unless that is NULL; returns how many there are.
 * is_usual: as if slices of a day or more were short. */
static size_t read_tracks(struct group *groups, const struct tc_timeline *timeline, bool is_usual)
{
	size_t count = 0;

	for (uint32_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		bool is_lane = track->kind == TC_TRACK_LANE;
		size_t range_count;
		const struct tc_spans_range *ranges =
			tc_spans_ranges(&range_count, timeline->spans, i);
		if (!is_timed(track))
			continue;
		for (size_t k = 0; k < range_count && groups; k++)
			groups[count + k] = (struct group){
				.extent = {tc_time_clamp(ranges[k].first_ns),
					tc_time_clamp(is_usual ? ranges[k].usual_last_ns
							       : ranges[k].last_ns)},
				.slice_count = ranges[k].count,
				.lane_slice_count = is_lane ? ranges[k].count : 0,
				.first_slice_id = ranges[k].first_slice_id,
			};
		count += range_count;
	}
	if (groups)
		TC_SORT(groups, count, compare_groups);
	return count;
}

/* Joins what is less than apart_ns apart; groups come in the order of their starts. */
static size_t join(struct group *groups, size_t count, int64_t apart_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct group *last = &groups[kept - (kept > 0)];
		if (kept == 0 || groups[i].extent.start_ns - apart_ns >= last->extent.end_ns) {
			groups[kept++] = groups[i];
			continue;
		}
		if (groups[i].extent.end_ns > last->extent.end_ns)
			last->extent.end_ns = groups[i].extent.end_ns;
		last->slice_count += groups[i].slice_count;
		last->lane_slice_count += groups[i].lane_slice_count;
	}
	return kept;
}

/* The distance that separates groups. It is at most a quarter of the range of times, so that no
 * difference overflows. */
static int64_t apart_of(const struct group *groups, size_t count)
{
	int64_t total_ns = 0;

	for (size_t i = 0; i < count; i++)
		total_ns = tc_add_saturated(total_ns, tc_interval_measure(groups[i].extent));
	if (total_ns >= TC_TIME_MAX_NS / 2 / APART_FACTOR)
		return TC_TIME_MAX_NS / 2;
	return total_ns * APART_FACTOR > TC_CLOCKS_APART_MIN_NS ? total_ns * APART_FACTOR
								: TC_CLOCKS_APART_MIN_NS;
}

/* The slices of a day or more, and the longest of all; of equal ones that with the smallest id. */
static void count_long(struct tc_clocks *clocks, const struct tc_timeline *timeline)
{
	for (uint32_t i = 0; i < timeline->track_count; i++) {
		size_t range_count;
		const struct tc_spans_range *ranges =
			tc_spans_ranges(&range_count, timeline->spans, i);
		for (size_t k = 0; k < range_count && is_timed(&timeline->tracks[i]); k++) {
			const struct tc_spans_range *range = &ranges[k];
			clocks->endless_count += range->long_count;
			if (range->longest_ns < clocks->endless_ns ||
				(range->longest_ns == clocks->endless_ns &&
					range->longest_slice_id > clocks->endless_slice_id))
				continue;
			clocks->endless_ns = range->longest_ns;
			clocks->endless_slice_id = range->longest_slice_id;
		}
	}
}

/* A slice of a day or more that is also twenty times as long as the time from the first to the last
 * of the others has no duration that could be one: profilers keep what they record in memory, for
 * minutes. A job that hangs for hours, or a long range around everything, is none. */
static void find_endless(
	struct tc_clocks *clocks, struct group *groups, const struct tc_timeline *timeline)
{
	struct tc_interval others = TC_INTERVAL_NONE;

	count_long(clocks, timeline);
	if (clocks->endless_count == 0)
		return;
	for (size_t i = read_tracks(groups, timeline, true); i-- > 0;)
		others = tc_interval_join(others, groups[i].extent);
	if (clocks->endless_ns / APART_FACTOR < tc_interval_measure(others))
		clocks->endless_count = 0;
}

static void choose(struct tc_clocks *clocks, const struct group *groups, size_t count)
{
	const struct group *best = &groups[0];

	for (size_t i = 1; i < count; i++) {
		if (groups[i].lane_slice_count > best->lane_slice_count ||
			(groups[i].lane_slice_count == best->lane_slice_count &&
				groups[i].slice_count > best->slice_count))
			best = &groups[i];
	}
	const struct group *other = &groups[best == &groups[0]];
	clocks->group_count = (int64_t)count;
	clocks->known = best->extent;
	clocks->other_slice_id = other->first_slice_id;
	clocks->other_ns = best->extent.start_ns - other->extent.start_ns;
	for (size_t i = 0; i < count; i++)
		clocks->other_count += &groups[i] == best ? 0 : groups[i].slice_count;
}

static void find_groups(struct tc_clocks *clocks, const struct tc_timeline *timeline)
{
	struct group *groups =
		tc_new(timeline->ctx, read_tracks(NULL, timeline, false), sizeof(*groups));

	if (!groups)
		return;
	find_endless(clocks, groups, timeline);
	size_t count = join(groups, read_tracks(groups, timeline, false), TC_CLOCKS_APART_MIN_NS);
	count = join(groups, count, apart_of(groups, count));
	if (count > 1)
		choose(clocks, groups, count);
	tc_free(groups);
}

void tc_clocks_find(
	struct tc_clocks *clocks, struct tc_arena *arena, const struct tc_timeline *timeline)
{
	*clocks = (struct tc_clocks){
		.group_count = 1, .known = {TC_TIME_FIRST, TC_TIME_LAST}, .host = TC_INTERVAL_NONE};
	TC_ARENA(arena, clocks->is_clamped, timeline->device_count);
	find_clamped(clocks, arena, timeline);
	if (!clocks->zero_is_no_time)
		find_groups(clocks, timeline);
	for (size_t i = 0; i < timeline->step_count; i++) {
		int64_t ts_ns = timeline->steps[i].ts_ns;
		clocks->steps_apart |= clocks->zero_is_no_time
					       ? ts_ns == 0
					       : !tc_clocks_know(clocks, tc_time_clamp(ts_ns));
	}
}
