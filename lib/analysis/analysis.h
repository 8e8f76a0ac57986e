/*
 * Analysis walks a timeline and writes the tallies of one trace into the store being built.
 * docs/architecture.md lists the tables under "Analysis". Each tally is one file.
 */
#pragma once

#include <sqlite3.h>

#include "analysis/op_tree.h"
#include "model/timeline/timeline.h"

struct tc_analysis;

/*
 * Sweeps the lanes and surveys the host threads. *out is owned by the caller and borrows the
 * timeline, which other threads may read meanwhile.
 */
enum tc_status tc_analysis_new(
	struct tc_analysis **out, struct tc_ctx *ctx, const struct tc_timeline *timeline);
void tc_analysis_free(struct tc_analysis *analysis); /* NULL is fine */

/* Sweeps the host threads and writes all tallies through db, inside the open transaction. Call it
 * once. companion: captured graphs of other traces, or NULL. */
void tc_analysis_write(struct tc_analysis *analysis, sqlite3 *db, struct tc_companion *companion);
