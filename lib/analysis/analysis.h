/*
 * Analysis: walks a timeline and writes the accounts of one trace into the store being built:
 * step windows, metric, gap, op_total, host_total, host_event. Each account is one file.
 */
#ifndef TC_ANALYSIS_ANALYSIS_H
#define TC_ANALYSIS_ANALYSIS_H

#include <sqlite3.h>

#include "model/timeline.h"

/* Writes all accounts of the timeline's trace through db, inside the transaction that is open. */
enum tc_status tc_analyze(struct tc_ctx *ctx, sqlite3 *db, const struct tc_timeline *timeline);

#endif
