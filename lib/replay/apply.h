/*
 * Apply: writes the replay of a what-if as a recording of its own, so that its critical path can be
 * found. It holds only what the path needs.
 */
#pragma once

#include "replay/replay.h"

/* tc_replay_clear() afterwards, also when it failed. meets: of the same what-if on all ranks of a
 * job; NULL for a rank alone. */
struct tc_meets;
enum tc_status tc_replay_apply(struct tc_replay *out, struct tc_ctx *ctx,
	const struct tc_replay *replay, const struct tc_clause_set *whatif,
	const struct tc_meets *meets);
