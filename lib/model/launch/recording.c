/* The lowest ids of calls, and the first known launch of every lane; see recording.h. */
#include "model/launch/recording.h"

#include "core/alloc.h"

/* Ids that fill more spaces than any job has ranks are not counted up, and are no evidence. */
enum { SPACE_MAX_COUNT = 1 << 14 };

struct tc_first_launch {
	bool is_there;
	int64_t ts_ns; /* of the first work with a call */
};

void tc_recording_clear(struct tc_recording *recording)
{
	tc_strtab_clear(&recording->spaces);
	tc_free(recording->lowest);
	tc_free(recording->lanes);
}

static struct tc_text text_of_space(const int64_t *space)
{
	return (struct tc_text){(const char *)space, sizeof(*space)};
}

bool tc_recording_add_call(struct tc_recording *recording, int64_t correlation)
{
	int64_t space = correlation >> TC_CORRELATION_BITS;
	struct tc_text text = text_of_space(&space);
	size_t count = recording->spaces.count;

	if (count == 0 || space != recording->space) {
		if (!TC_GROW(recording->lowest, recording->capacity, count + 1))
			return false;
		uint32_t number = count < SPACE_MAX_COUNT
					  ? tc_strtab_intern(&recording->spaces, text)
					  : tc_strtab_find(&recording->spaces, text);
		if (number == TC_STRTAB_NONE)
			return count >= SPACE_MAX_COUNT;
		recording->number = number;
		recording->space = space;
	}
	if (recording->number == count || correlation < recording->lowest[recording->number])
		recording->lowest[recording->number] = correlation;
	return true;
}

/* The first launch of a lane, NULL when none is known. */
static const struct tc_first_launch *first_launch(
	const struct tc_recording *recording, uint32_t track)
{
	return track < recording->lane_count && recording->lanes[track].is_there
		       ? &recording->lanes[track]
		       : NULL;
}

bool tc_recording_add_launch(
	struct tc_recording *recording, uint32_t track, int64_t ts_ns, int64_t call_ns)
{
	const struct tc_first_launch *first = first_launch(recording, track);

	if (!TC_GROW(recording->lanes, recording->lane_capacity, (size_t)track + 1))
		return false;
	while (recording->lane_count <= track)
		recording->lanes[recording->lane_count++] = (struct tc_first_launch){0};
	if (!first || ts_ns < recording->lanes[track].ts_ns)
		recording->lanes[track] = (struct tc_first_launch){true, ts_ns};
	if (!recording->has_launched || call_ns < recording->first_ns)
		recording->first_ns = call_ns;
	recording->has_launched = true;
	return true;
}

enum tc_launch_method tc_recording_method(
	const struct tc_recording *recording, uint32_t track, int64_t correlation)
{
	int64_t space = correlation >> TC_CORRELATION_BITS;
	uint32_t number = tc_strtab_find(&recording->spaces, text_of_space(&space));

	if (number == TC_STRTAB_NONE)
		return TC_LAUNCH_UNKNOWN;
	if (correlation < recording->lowest[number])
		return TC_LAUNCH_BEFORE;
	return first_launch(recording, track) ? TC_LAUNCH_UNKNOWN : TC_LAUNCH_TIME;
}

bool tc_recording_follows(const struct tc_recording *recording, const struct tc_span *work)
{
	const struct tc_first_launch *first = first_launch(recording, work->track);

	if (!recording->has_launched || work->method == TC_LAUNCH_TIME)
		return false;
	if (first)
		return work->ts_ns < first->ts_ns;
	return work->method == TC_LAUNCH_BEFORE || work->ts_ns < recording->first_ns;
}
