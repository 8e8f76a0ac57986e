/*
 * World: the recordings of the ranks of a job, replayed together. A collective ends on all its
 * ranks when the last rank has arrived and the data are transferred. So the shift of each rank's
 * end is the least `shift + early` of the ranks, where early is how much sooner than the last one a
 * rank arrived. Clocks of ranks need not agree. The table collective says which collectives are the
 * same (analysis/ranks.h).
 *
 * Ranks take turns: each runs until a collective that some of its ranks have not reached. So memory
 * holds only what is open, and the cost is that of the programs, however many ranks there are.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/collections/pool.h"
#include "replay/replay.h"
#include "replay/shifts.h"

/*
 * Replays of several traces, kept until it is known which of them are ranks of one job. Their
 * programs share one temporary file.
 */
struct tc_kept_replay {
	int64_t trace_id;
	struct tc_replay replay;
};

struct tc_replays {
	struct tc_kept_replay *items; /* by trace_id */
	size_t count, capacity;
	struct tc_spill *spill;
};

/* Takes a replay of a trace whose id is higher than all before; its clauses stay borrowed. */
void tc_replays_take(
	struct tc_replays *replays, struct tc_ctx *ctx, int64_t trace_id, struct tc_replay *replay);
/* Drops those of the traces from an id on. */
void tc_replays_drop(struct tc_replays *replays, int64_t trace_id);
/* NULL when that trace has no replay. */
const struct tc_replay *tc_replays_find(const struct tc_replays *replays, int64_t trace_id);
void tc_replays_clear(struct tc_replays *replays);

/* The recording of one rank; all borrowed. */
struct tc_world_rank {
	int64_t trace_id, rank;
	int64_t late_order; /* 1: the job waits for it most; 0: not known to be late */
	const struct tc_replay *replay;
};

struct tc_world {
	struct tc_ctx *ctx;
	sqlite3 *db; /* has the table collective */
	struct tc_world_rank *ranks;
	size_t count;
};

/* A what-if: clauses that change every rank, and the ranks that nobody waits for. */
struct tc_world_whatif {
	struct tc_clause_set clauses;
	const bool *is_late; /* by rank of the world; NULL: none */
};

/* The shifts after each MEET operation of a rank for the first what-if, in order: tc_replay_apply()
 * needs them. tc_free(shifts_ns) afterwards. */
struct tc_meets {
	bool is_wanted;
	int64_t *shifts_ns;
	size_t count, capacity;
};

/* Results that a run keeps for the first what-if. */
struct tc_world_notes {
	struct tc_meets *meets; /* one for each rank; NULL: none */
	/* By rank: how long the others waited for it alone, in the replay, summed over the
	 * collectives; NULL: not wanted. */
	int64_t *late_ns;
};

/*
 * Replays all ranks for several what-ifs. shifts has one entry per rank; tc_shifts_clear() each
 * afterwards, also when it failed. No what-if changes the wait for the first collective of a
 * recording: recordings do not begin together. notes may be NULL.
 */
enum tc_status tc_world_run(struct tc_shifts *shifts, const struct tc_world *world,
	const struct tc_world_whatif *whatifs, size_t whatif_count,
	const struct tc_world_notes *notes);

/* The time that the steady steps of a rank fill, which no what-if of a run changes; without such
 * steps its recording. */
int64_t tc_world_steady_ns(
	const struct tc_world *world, const struct tc_shifts *shifts, size_t rank);

/*
 * What the job gains with a what-if of a run: the median of the ranks that are still waited for, of
 * as many steps as the recording of the given rank holds: ranks run at one pace, unless a recording
 * is short or has lost events. Without steady steps it is no more than that recording. The late
 * ranks themselves take as long as they did: this says nothing about how their work gets shorter.
 */
enum tc_status tc_world_won(struct tc_won *out, const struct tc_world *world,
	const struct tc_shifts *shifts, const bool *is_late, size_t whatif, size_t rank);
