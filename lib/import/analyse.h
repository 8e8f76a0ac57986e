/* The stage of the import after the timeline is resolved: what only reads it, side by side. */
#ifndef TC_IMPORT_ANALYSE_H
#define TC_IMPORT_ANALYSE_H

#include <stdbool.h>

#include "analysis/analysis.h"
#include "model/model.h"
#include "replay/whatif.h"
#include "store/writer.h"

struct tc_analysed {
	struct tc_analysis *analysis;
	struct tc_whatif whatif; /* empty without fixes */
};

/*
 * Analyses a timeline and replays it with the fixes (NULL: not), and meanwhile writes what ties its
 * slices together (tc_model_emit_ties). inline_stages does all of it in turn on the caller's thread.
 * tc_analysed_clear() afterwards, also when it failed.
 */
enum tc_status tc_analyse_and_tie(struct tc_analysed *analysed, const struct tc_timeline *timeline,
	const struct tc_fixes *fixes, struct tc_model *model, struct tc_writer *writer,
	bool inline_stages);
/* The first part of it alone. */
enum tc_status tc_analyse(struct tc_analysed *analysed, const struct tc_timeline *timeline,
	const struct tc_fixes *fixes);
void tc_analysed_clear(struct tc_analysed *analysed);

#endif
