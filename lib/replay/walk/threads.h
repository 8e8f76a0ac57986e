/* The tracks of a timeline that a walk reads, and which host threads have a log of their own. */
#ifndef TC_REPLAY_WALK_THREADS_H
#define TC_REPLAY_WALK_THREADS_H

#include "core/collections/arena.h"
#include "model/timeline/timeline.h"

struct tc_threads {
	struct tc_arena arena;
	uint32_t *host_tracks, *lanes; /* indexes of tracks[] */
	size_t host_track_count, lane_count;
	/* by host thread: the log of a runtime that does not say which thread called */
	bool *is_unnamed;
	uint32_t *named; /* the other host threads */
	size_t named_count;
};

/* tc_arena_clear(&threads->arena) afterwards, also when it failed. */
enum tc_status tc_threads_find(struct tc_threads *threads, const struct tc_timeline *timeline);

#endif
