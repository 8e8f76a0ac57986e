/* See survey.h. Durations are counted by their size, four counters to each power of two. */
#include "report/html/survey.h"

#include "report/html/items.h"

#define STEPS 4 /* to a power of two */
#define SIZES (64 * STEPS)
#define ROWS_PER_TRACK 4 /* that have short slices in them, as a guess */

/* The size of a duration: 0 for 0, then the power of two and two bits below it. */
static size_t size_of(int64_t dur)
{
	size_t power = 0;

	if (dur < STEPS)
		return dur < 0 ? 0 : (size_t)dur;
	while (power < 62 && dur >> (power + 1) > 0)
		power++;
	return power * STEPS + (size_t)(dur >> (power - 2) & (STEPS - 1));
}

/* The shortest duration of a size. */
static int64_t least_of(size_t size)
{
	size_t power = size / STEPS;

	if (power < 2)
		return (int64_t)(size < STEPS ? size : STEPS);
	return (int64_t)((UINT64_C(4) + size % STEPS) << (power - 2));
}

/* Items when all slices below a size are merged: what is longer, and at most one for each piece of
 * time of each row. */
static double items_at(const size_t *counts, size_t size, const struct tc_page_tracks *tracks)
{
	double longer = 0, shorter = 0;
	double span_ns = (double)tracks->end_ns - (double)tracks->start_ns;
	double pieces = span_ns / ((double)least_of(size) * TC_ITEM_PIECE + 1) + 1;

	for (size_t i = 0; i < SIZES; i++)
		*(i < size ? &shorter : &longer) += (double)counts[i];
	pieces *= (double)tracks->count * ROWS_PER_TRACK;
	return longer + (shorter < pieces ? shorter : pieces);
}

static int64_t choose(const size_t *counts, const struct tc_page_tracks *tracks, size_t budget)
{
	size_t all = 0;

	for (size_t i = 0; i < SIZES; i++)
		all += counts[i];
	if (all <= budget)
		return 0;
	for (size_t size = 2 * STEPS; size < SIZES - STEPS; size++)
		if (items_at(counts, size, tracks) <= (double)budget)
			return least_of(size);
	return least_of(SIZES - STEPS);
}

enum tc_status tc_survey(int64_t *least_ns, struct tc_places *places,
	const struct tc_page_tracks *tracks, size_t budget)
{
	size_t counts[SIZES] = {0};
	struct tc_rows rows;

	tc_page_tracks_slices(&rows, tracks);
	while (tc_rows_next(&rows)) {
		uint32_t track = tc_page_tracks_find(tracks, tc_rows_int(&rows, 3));
		int64_t dur = tc_rows_int(&rows, 2);
		if (track == UINT32_MAX)
			continue;
		counts[size_of(dur)]++;
		tc_places_see(places, tc_rows_int(&rows, 4), tc_rows_int(&rows, 1), dur, track);
	}
	*least_ns = choose(counts, tracks, budget);
	return tc_rows_close(&rows);
}
