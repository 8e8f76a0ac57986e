/*
 * See parts.h. Limits are powers of two. For each limit the survey counts the slices that are at
 * least as long. It also counts how often a short slice starts in another piece of time than the
 * last short slice on its track: each time a new merged item begins.
 */
#include "report/html/items.h"
#include "report/html/parts.h"
#include "report/html/places.h"
#include "report/html/queues.h"

#include "core/alloc.h"
#include "core/saturate.h"

#define LIMITS 35       /* the largest is 17 s */
#define ROWS_OF_TRACK 2 /* a guess: short slices in a piece of time lie on two rows */

struct survey {
	const struct tc_page_tracks *tracks;
	int64_t *pieces;       /* by track and limit: the piece of the last short slice */
	size_t longer[LIMITS]; /* slices at least as long as the limit */
	size_t changes[LIMITS];
	size_t all;
};

/* The index of the limit for a duration: the largest power of two not above it; 0 for 0. */
static size_t power_of(int64_t dur)
{
	size_t power = 0;

	while (power < LIMITS - 1 && dur >> (power + 1) > 0)
		power++;
	return power;
}

static void see(struct survey *survey, int64_t ts, int64_t dur, uint32_t track)
{
	uint64_t from_start =
		(uint64_t)tc_sub_saturated(ts, survey->tracks->start_ns) / TC_ITEM_PIECE;
	int64_t *pieces = &survey->pieces[track * LIMITS];
	size_t power = power_of(dur);

	survey->all++;
	survey->longer[power]++;
	for (size_t limit = power + 1; limit < LIMITS; limit++) {
		int64_t piece = (int64_t)(from_start >> limit);
		survey->changes[limit] += piece != pieces[limit];
		pieces[limit] = piece;
	}
}

static int64_t choose(const struct survey *survey, size_t budget)
{
	size_t shorter = 0;

	if (survey->all <= budget)
		return 0;
	for (size_t limit = 1; limit < LIMITS; limit++) {
		shorter += survey->longer[limit - 1];
		size_t merged = survey->changes[limit] * ROWS_OF_TRACK;
		if (survey->all - shorter + (merged < shorter ? merged : shorter) <= budget)
			return INT64_C(1) << limit;
	}
	return INT64_C(1) << LIMITS;
}

void tc_survey(int64_t *least_ns, struct tc_places *places, struct tc_queues *queues,
	const struct tc_page_tracks *tracks, size_t budget)
{
	struct survey survey = {.tracks = tracks,
		.pieces = tc_calloc(tracks->count * LIMITS + 1, sizeof(*survey.pieces))};

	*least_ns = 0;
	if (!survey.pieces) {
		tc_no_memory(tracks->ctx);
		return;
	}
	memset(survey.pieces, 0xff, tracks->count * LIMITS * sizeof(*survey.pieces));
	tc_queues_open(queues, tracks);
	struct tc_rows rows = tc_page_tracks_slices(tracks);
	while (tc_rows_next(&rows)) {
		uint32_t track = tc_page_tracks_find(tracks, tc_rows_int(&rows, 3));
		int64_t ts = tc_rows_int(&rows, 1), dur = tc_slice_dur(&rows);
		if (track == UINT32_MAX)
			continue;
		if (!tc_queues_see(queues, tc_rows_int(&rows, 0), ts, track))
			tc_no_memory(tracks->ctx);
		see(&survey, ts, dur, track);
		tc_places_see(places, tc_rows_int(&rows, 4), ts, dur, track,
			tracks->all[track].kind == TC_TRACK_HOST);
	}
	*least_ns = choose(&survey, budget);
	tc_places_finish(places);
	tc_free(survey.pieces);
	tc_queues_close(queues);
}
