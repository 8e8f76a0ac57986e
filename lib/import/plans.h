/* Plans of the traces of a store: the tables plan_fix and fix_set. */
#pragma once

#include <sqlite3.h>

#include "replay/whatif.h"
#include "replay/world.h"
#include "tracecoach/advice.h"

/* Replays that are kept: that of the only trace or NULL, and those of ranks. */
struct tc_plan_replays {
	const struct tc_whatif *only;
	const struct tc_replays *ranks;
};

/* Makes a plan of the findings of each trace, and writes it. */
void tc_plans_make(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_advice *advice, const struct tc_plan_replays *replays);
