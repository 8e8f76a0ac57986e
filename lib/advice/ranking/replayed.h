/* Gains of findings whose heuristic says which edit mends it: those of the replay. */
#ifndef TC_ADVICE_REPLAYED_H
#define TC_ADVICE_REPLAYED_H

#include <sqlite3.h>

#include "tracecoach/advice.h"

/* Gives the findings of a trace with edits their gains of the table whatif; one that was not
 * replayed has none. Rows of such a finding have no gain of their own, unless there is one only. */
enum tc_status tc_replayed_gains(struct tc_finding *findings, size_t count, struct tc_ctx *ctx,
	sqlite3 *db, int64_t trace_id);

static inline bool tc_is_replayed(const struct tc_heuristic *heuristic)
{
	return heuristic->edits && heuristic->edits[0];
}

#endif
