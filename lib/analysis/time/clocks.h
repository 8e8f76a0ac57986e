/*
 * Finds whether all events of a trace are on one clock. Two groups of tracks, or some slices of
 * tracks and all others, may be so far apart that only different clocks or recordings explain it.
 * Then their times cannot be compared, and the tallies use only the group with the most device
 * work.
 */
#ifndef TC_ANALYSIS_TIME_CLOCKS_H
#define TC_ANALYSIS_TIME_CLOCKS_H

#include "analysis/time/intervals.h"
#include "model/timeline/timeline.h"

/* Tracks closer than this are always taken to be on one clock. */
#define TC_CLOCKS_APART_MIN_NS (INT64_C(60) * 1000 * 1000 * 1000)

struct tc_clocks {
	int64_t group_count;      /* 1, or more when clocks differ */
	struct tc_interval known; /* of the group that counts; everything when there is one */
	int64_t other_count;      /* slices of the other groups */
	int64_t other_slice_id;   /* the first of them by time */
	int64_t other_ns; /* how long it starts before the group that counts; below 0: after */
	bool steps_apart; /* a step is in another group */
};

enum tc_status tc_clocks_find(struct tc_clocks *clocks, const struct tc_timeline *timeline);

static inline bool tc_clocks_know(const struct tc_clocks *clocks, int64_t ts_ns)
{
	return clocks->known.start_ns <= ts_ns && ts_ns <= clocks->known.end_ns;
}

#endif
