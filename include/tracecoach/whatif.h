/*
 * The what-if: a store's recordings replayed with edits, or with the fixes of heuristics: how long
 * a step takes then, and what the run waits for then.
 */
#ifndef TRACECOACH_WHATIF_H
#define TRACECOACH_WHATIF_H

#include <stddef.h>

#include "tracecoach/report.h"
#include "tracecoach/settings.h"
#include "tracecoach/store.h"

TC_PUBLIC_BEGIN

struct tc_whatif_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	const struct tc_settings *settings; /* of fixes and thresholds; NULL for the defaults */
	const char *const *edits; /* as docs/edits.md has them; NULL at the end, or NULL for none */
	const char *const *fixes; /* "ID[,ID...]" of heuristics; the same. Or "1": the finding of
				     that number in the report on the first job, or on the first
				     trace where there is none */
};

enum tc_whatif_format { TC_WHATIF_TEXT, TC_WHATIF_JSON };

/*
 * Replays each trace of the store with all edits and fixes together, and writes what comes out.
 * Without any, or with NULL for options, what comes out is the recording. TC_ERR_USAGE for an edit
 * that cannot be read, and for a heuristic or number that is not there or says no edit.
 */
enum tc_status tc_whatif(struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_whatif_options *options, enum tc_whatif_format format, tc_write_fn write,
	void *user);

TC_PUBLIC_END

#endif
