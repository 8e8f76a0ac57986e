/*
 * Places in the queue to a device, in the replay of one what-if. A queue holds so many calls, so a
 * call waits for the work that was launched so many calls before. Without the calls that an edit
 * removes, that is earlier work. What is kept here is when the work of the calls that stay ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/collections/arena.h"
#include "replay/program.h"

struct tc_places {
	/* When the work of the call number i that stays, and of all before it, had ended, at
	 * i % size. NULL until the first call goes: calls count from then. */
	int64_t *until_ns;
	int64_t size;       /* one more than were in the queue when a call waited for a place */
	int64_t kept_count; /* calls that stay whose work has ended */
	int64_t gone_count; /* calls that go and would be in the queue */
	int64_t sooner_ns;  /* how much sooner places are free, in all */
};

/* Runs an operation about a queue; is_gone: the what-if removes the calls of its mask. Returns the
 * shift of its dst, which was shift_ns. */
int64_t tc_places_run(struct tc_places *places, struct tc_arena *arena,
	const struct tc_replay_op *op, bool is_gone, int64_t shift_ns);
