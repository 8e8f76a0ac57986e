/* The stage of the import after the timeline is resolved: two things that only read it, side by side. */
#ifndef TC_IMPORT_ANALYSE_H
#define TC_IMPORT_ANALYSE_H

#include <stdbool.h>

#include "analysis/analysis.h"
#include "model/model.h"
#include "store/writer.h"

/*
 * Analyses a timeline, and meanwhile writes what ties its slices together (tc_model_emit_ties).
 * inline_stages does both in turn on the caller's thread. *out is the caller's.
 */
enum tc_status tc_analyse_and_tie(struct tc_analysis **out, const struct tc_timeline *timeline,
	struct tc_model *model, struct tc_writer *writer, bool inline_stages);

#endif
