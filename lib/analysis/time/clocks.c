/* Groups of tracks by time; see clocks.h. */
#include "analysis/time/clocks.h"

#include "core/alloc.h"
#include "core/array.h"

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

/* Puts the ranges of all tracks into groups unless that is NULL; returns how many there are. */
static size_t read_tracks(struct group *groups, const struct tc_timeline *timeline)
{
	size_t count = 0;

	for (uint32_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		bool is_lane = track->kind == TC_TRACK_LANE;
		size_t range_count;
		const struct tc_spans_range *ranges =
			tc_spans_ranges(&range_count, timeline->spans, i);
		if (!is_lane && track->kind != TC_TRACK_THREAD)
			continue;
		for (size_t k = 0; k < range_count && groups; k++)
			groups[count + k] = (struct group){
				.extent = {tc_time_clamp(ranges[k].first_ns),
					tc_time_clamp(ranges[k].last_ns)},
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

enum tc_status tc_clocks_find(struct tc_clocks *clocks, const struct tc_timeline *timeline)
{
	struct group *groups = tc_calloc(read_tracks(NULL, timeline), sizeof(*groups));

	*clocks = (struct tc_clocks){.group_count = 1, .known = {TC_TIME_FIRST, TC_TIME_LAST}};
	if (!groups)
		return tc_no_memory(timeline->ctx);
	size_t count = join(groups, read_tracks(groups, timeline), TC_CLOCKS_APART_MIN_NS);
	count = join(groups, count, apart_of(groups, count));
	if (count > 1)
		choose(clocks, groups, count);
	tc_free(groups);
	for (size_t i = 0; i < timeline->step_count; i++)
		if (!tc_clocks_know(clocks, tc_time_clamp(timeline->steps[i].ts_ns)))
			clocks->steps_apart = true;
	return TC_OK;
}
