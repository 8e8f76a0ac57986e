/*
 * Clocks: which times of a trace can be compared with each other.
 *
 * A writer that cannot map the clock of a device leaves its work, and host slices too, at ts 0,
 * years before the rest of the trace. Other traces have groups of tracks that are so far apart that
 * only different clocks or recordings explain it. Neither may stretch spans: operations at ts 0 are
 * left out, and of several groups the tallies use only the one with the most device work. Slices
 * that end days behind all others are counted, and named in the import log.
 */
#pragma once

#include "analysis/intervals.h"
#include "core/collections/arena.h"
#include "model/timeline/timeline.h"

struct tc_clocks {
	int64_t group_count;      /* 1, or more when clocks differ */
	struct tc_interval known; /* of the group that counts; everything when there is one */
	int64_t other_count;      /* slices of the other groups */
	int64_t other_slice_id;   /* the first of them by time */
	int64_t other_ns;     /* how long it starts before the group that counts; below 0: after */
	bool steps_apart;     /* a step is in another group, or at ts 0 */
	bool zero_is_no_time; /* something is at ts 0, far from the rest of the trace */
	bool *is_clamped;     /* by device: leave out operations at ts 0 */
	struct tc_interval host; /* of the host slices; only known when something is at ts 0 */
	int64_t endless_count;   /* slices of a day or more, where the longest is no duration */
	int64_t endless_slice_id, endless_ns; /* the longest */
};

/* Arrays are of the arena. */
void tc_clocks_find(
	struct tc_clocks *clocks, struct tc_arena *arena, const struct tc_timeline *timeline);

static inline bool tc_clocks_know(const struct tc_clocks *clocks, int64_t ts_ns)
{
	return clocks->known.start_ns <= ts_ns && ts_ns <= clocks->known.end_ns;
}
