/* The stages of the import after the timeline is resolved, which only read it, side by side. */
#ifndef TC_IMPORT_ANALYSE_H
#define TC_IMPORT_ANALYSE_H

#include <stdbool.h>

#include "analysis/analysis.h"
#include "core/threads/task.h"
#include "model/model.h"
#include "replay/whatif/whatif.h"
#include "store/writer.h"

/* Two tasks, and what they make: valid when the task has ended. It does not move while they run. */
struct tc_analysed {
	const struct tc_timeline *timeline;
	const struct tc_fixes *fixes;
	struct tc_task analysing, replaying;
	struct tc_analysis *analysis;
	struct tc_whatif whatif; /* empty without fixes */
};

/* Begins to analyse a timeline and to replay it with the fixes (NULL: not). inline_stages: when
 * they are asked for. tc_analysed_clear() afterwards, also when it failed. */
enum tc_status tc_analysed_begin(struct tc_analysed *analysed, const struct tc_timeline *timeline,
	const struct tc_fixes *fixes, bool inline_stages);
void tc_analysed_clear(struct tc_analysed *analysed);

/* Writes what ties the slices of a trace together (tc_model_emit_ties), which a task prepares. */
enum tc_status tc_write_links(
	struct tc_ctx *ctx, struct tc_model *model, struct tc_writer *writer, bool inline_stages);

#endif
