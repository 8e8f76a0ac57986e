/* Gains of findings whose heuristic says which edit mends it: those of the replay. */
#ifndef TC_ADVICE_REPLAYED_H
#define TC_ADVICE_REPLAYED_H

#include <sqlite3.h>

#include "core/text.h"
#include "replay/whatif/whatif.h"
#include "tracecoach/advice.h"

/*
 * Gives the findings of a trace with edits their gains. The table whatif has them where the store
 * was made with the same edits; for other rules and thresholds the trace is replayed here. Rows of
 * such a finding have no gain of their own, unless there is one only.
 */
enum tc_status tc_replayed_gains(struct tc_finding *findings, size_t count, struct tc_ctx *ctx,
	sqlite3 *db, int64_t trace_id, const struct tc_fixes *fixes);

static inline bool tc_is_replayed(const struct tc_heuristic *heuristic)
{
	return heuristic->edits && heuristic->edits[0];
}

/* What mends it is that nobody waits for late ranks: its findings are of one job, on several
 * traces. */
static inline bool tc_is_about_ranks(const struct tc_heuristic *heuristic)
{
	return tc_is_replayed(heuristic) &&
	       tc_text_starts(tc_text_from(heuristic->edits[0]), TC_TEXT("nowait rank"));
}

#endif
