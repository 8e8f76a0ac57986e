/*
 * Plans of the traces of an import, when its findings are known. The replay of an import of one
 * trace is kept until then, as are those of ranks; others are replayed again, from the tables of
 * their store. The plan of the rank that its job waits for most is that of the job.
 */
#ifndef TC_IMPORT_PLANS_H
#define TC_IMPORT_PLANS_H

#include "replay/run/replays.h"
#include "replay/whatif/whatif.h"
#include "tracecoach/advice.h"

enum { TC_PLANS_MAX = 16 }; /* traces of an import that get a plan */

/* Makes a plan of the findings of each trace, and writes it. only is the replay of the only trace,
 * with its fixes; NULL where there are several. */
enum tc_status tc_plans_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_advice *advice, const struct tc_whatif *only,
	const struct tc_replays *kept);

#endif
