/*
 * Stragglers: ranks that the others of their job wait for, and what the job gains when nobody waits for
 * one of them, or for several. Writes late_order, late_gain_ns and late_together_ns of job_rank, and the
 * rows of whatif and whatif_step for fixes about late ranks.
 */
#ifndef TC_REPLAY_WHATIF_STRAGGLERS_H
#define TC_REPLAY_WHATIF_STRAGGLERS_H

#include "replay/run/replays.h"
#include "replay/whatif/whatif.h"
#include "replay/run/world.h"

enum { TC_STRAGGLERS_MAX = 8 }; /* per job */

/* The ranks of a job that have a replay; tc_free(world->ranks) afterwards, also when it failed. */
enum tc_status tc_world_find(struct tc_world *world, struct tc_ctx *ctx, sqlite3 *db,
	const struct tc_replays *replays, int64_t job_id);

/* For all jobs of a store whose ranks all have a replay, of the clauses of fixes. */
enum tc_status tc_stragglers_find(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_replays *replays);

#endif
