/*
 * Shifts: runs the program of a recording for several what-ifs at once. Without clauses all shifts
 * are 0, so the replay of the unchanged recording is the recording.
 */
#ifndef TC_REPLAY_SHIFTS_H
#define TC_REPLAY_SHIFTS_H

#include "replay/replay.h"

/* What one what-if wins. */
struct tc_won {
	int64_t end_ns;  /* the recording ends so much earlier */
	int64_t gain_ns; /* over the recording, from its steady steps where it has some */
	int64_t step_before_ns, step_after_ns; /* a steady step; 0 with fewer than 3 steps */
	int64_t removed_ns; /* host time, work and waits that its clauses take off */
};

struct tc_shifts {
	struct tc_won *won; /* by what-if */
	size_t whatif_count;
	/* By step, and by step and what-if: when it is complete. INT64_MIN: nobody knows. */
	int64_t *complete_ns, *complete_then_ns;
	size_t step_count;
};

/* whatifs: sets of the clauses of the replay. tc_shifts_clear() afterwards, also
 * when it failed. */
enum tc_status tc_shifts_run(struct tc_shifts *shifts, struct tc_ctx *ctx,
	const struct tc_replay *replay, const struct tc_clause_set *whatifs, size_t whatif_count);
void tc_shifts_clear(struct tc_shifts *shifts);

#endif
