/*
 * Replays of several traces, kept until it is known which of them are ranks of one job. Their
 * programs share one temporary file.
 */
#ifndef TC_REPLAY_RUN_REPLAYS_H
#define TC_REPLAY_RUN_REPLAYS_H

#include "replay/replay.h"

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
enum tc_status tc_replays_take(
	struct tc_replays *replays, struct tc_ctx *ctx, int64_t trace_id, struct tc_replay *replay);
/* NULL when that trace has no replay. */
const struct tc_replay *tc_replays_find(const struct tc_replays *replays, int64_t trace_id);
void tc_replays_clear(struct tc_replays *replays);

#endif
