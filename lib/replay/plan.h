/*
 * Plan: some fixes in the order of the report, and what remains after each. A fix that gains too
 * little beside those before it is left out. The gain of several together is replayed, not added.
 */
#ifndef TC_REPLAY_PLAN_H
#define TC_REPLAY_PLAN_H

#include "replay/whatif.h"
#include "replay/world.h"

enum { TC_PLAN_MAX = 8 }; /* fixes of a plan */

struct tc_plan_step {
	size_t fix;        /* index in the what-if's fixes */
	struct tc_won won; /* with all fixes up to this one */
};

struct tc_plan {
	struct tc_plan_step steps[TC_PLAN_MAX];
	size_t count;
	/* What the critical path spends most time on when all fixes are applied. */
	enum tc_piece limit;
	uint16_t limit_role_or_engine;
	double limit_pct;
};

/* Input of a plan; all borrowed. */
struct tc_plan_of {
	struct tc_ctx *ctx;
	const struct tc_fixes *fixes;
	const struct tc_replay *replay;
	const struct tc_whatif *alone; /* each fix alone, of this replay; NULL: not replayed yet */
	/* For a rank that is replayed with the others of its job: the job, the rank's index, and
	 * the ranks that fixes about late ranks mend. NULL: a rank alone. */
	const struct tc_world *world;
	size_t rank;
	const bool *is_late;
};

/* candidates: indexes of fixes, in their order. Stops when no further fix gains least_ns. */
enum tc_status tc_plan_make(struct tc_plan *plan, const struct tc_plan_of *of,
	const size_t *candidates, size_t count, int64_t least_ns);

/* Writes the table plan. */
enum tc_status tc_plan_write(
	const struct tc_plan *plan, const struct tc_plan_of *of, sqlite3 *db, int64_t trace_id);

#endif
