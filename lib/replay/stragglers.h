/*
 * What the ranks of a job gain together. Every fix is replayed on all ranks at once, which replaces
 * the gains of its rows in whatif and whatif_step. Stragglers are ranks that the others of their
 * job wait for: what the job gains when nobody waits for one of them, or for several, goes to
 * late_order, late_gain_ns and late_together_ns of job_rank, and to the rows of fixes about late
 * ranks.
 */
#pragma once

#include "replay/whatif.h"
#include "replay/world.h"

enum { TC_STRAGGLERS_MAX = 8 }; /* per job */

/* The ranks of a job that have a replay; tc_free(world->ranks) afterwards, also when it failed. */
void tc_world_find(struct tc_world *world, struct tc_ctx *ctx, sqlite3 *db,
	const struct tc_replays *replays, int64_t job_id);

/* For all jobs of a store whose ranks all have a replay, of the clauses of fixes. */
void tc_stragglers_find(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_replays *replays);
